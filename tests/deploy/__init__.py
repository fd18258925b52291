"""The files in deploy/ say what the code does."""
