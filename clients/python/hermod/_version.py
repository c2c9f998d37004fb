# Written by clients/generate.ts from the API document.

__version__ = "0.1.0"
