"""An empty bare repository as GitHub would serve it, with the hook that declines pushes."""

from __future__ import annotations

from pathlib import Path

CONFIGURATION = """[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	logAllRefUpdates = false
[http]
	receivepack = true
[uploadpack]
	allowAnySHA1InWant = true
	allowFilter = true
[receive]
	hideRefs = refs/pull
	advertisePushOptions = true
[gc]
	auto = 0
"""

# Says in GitHub's place why a push is declined; git itself tells the client.
PRE_RECEIVE = r"""#!/bin/sh
if [ -n "$PUSH_REFUSAL" ]; then echo "error: $PUSH_REFUSAL" >&2; exit 1; fi
[ -n "$WITHOUT_WORKFLOWS" ] || exit 0
zero=0000000000000000000000000000000000000000
while read -r old new ref; do
  [ "$new" = $zero ] && continue
  touched=$(git log --format= --name-only -m "$new" --not --all -- .github/workflows | head -n 1)
  [ -z "$touched" ] && continue
  echo "refusing to allow a GitHub App to create or update workflow \`$touched\` without \`workflows\` permission" >&2
  exit 1
done
"""


def create(path: Path, default_branch: str) -> None:
    """Writes the files that `git init --bare` would write, but for its samples: a process less for every world."""
    for folder in ("objects", "refs/heads", "refs/tags", "hooks"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    (path / "HEAD").write_text(f"ref: refs/heads/{default_branch}\n")
    (path / "config").write_text(CONFIGURATION)
    hook = path / "hooks" / "pre-receive"
    hook.write_text(PRE_RECEIVE)
    hook.chmod(0o755)
