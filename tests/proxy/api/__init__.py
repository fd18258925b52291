"""The slice of GitHub's API: what is decided about a request, and gh as it is, through the proxy."""
