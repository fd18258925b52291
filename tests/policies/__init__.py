"""Decision tables of what is required, and golden files of what people read."""
