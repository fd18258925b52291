"""What the importers make of other tools' configurations."""
