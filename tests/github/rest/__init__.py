"""The REST routes of the simulated GitHub, one module a topic; each exports `routes`."""
