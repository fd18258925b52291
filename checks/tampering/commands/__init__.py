"""Commands that run tests or checks, wherever a repository writes them: scripts, make files, package files, workflows.

`shell` splits text into commands, `runners` knows which of them run tests, `options` what their options take away,
`runs` whether their failure still counts, `files` where commands are written, and `compare` what a change does to
them over the whole difference, so that a command that moves from one file to another is the same command.
"""
