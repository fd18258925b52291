"""GitHub's workflow and action files: read into jobs and steps, searched for what makes their runs prove less.

`model` reads a file, `smells` lists what is weak in one file, `compare` says what a change drops or widens. The form is
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax.
"""
