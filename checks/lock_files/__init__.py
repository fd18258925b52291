"""What a lock file of a package manager installs: packages with where they come from and what proves their bytes.

One module a family of formats. Each reads a text into a `LockFile` and never decides anything; whatever form of an
entry it does not know has no source, so that nobody takes it for a plain new version.
"""
