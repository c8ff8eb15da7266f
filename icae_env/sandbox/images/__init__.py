"""Images: what a sandbox's root file system holds, how it is built, and where it is kept."""
