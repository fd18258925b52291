"""Tests of the GitHub client: fault tables with respx over in-process transports, and models against outside shapes."""
