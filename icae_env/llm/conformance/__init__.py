"""The contract of a language model as checks, and the scripted service (``wire``) that they run against."""
