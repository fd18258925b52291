"""Pages and machine-readable state over HTTP: health, metrics, and later set-up, board and explanations."""
