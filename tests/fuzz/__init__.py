"""Whatever comes from outside, made at random: our HTTP APIs by their OpenAPI documents, parsers by `test_table`."""
