"""Stories of the whole loop against the simulated GitHub, in process."""
