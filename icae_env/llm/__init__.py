"""Language models behind one small contract: ``ChatModel`` in ``base``, one module per kind of service."""
