#!/bin/bash
# Makes the logs of this folder and their INDEX.tsv: tools that print the output of an earlier run from their cache.
# Not run by the tests. Needs node 20 and npm with a registry:
#
#     bash make.sh WORKFOLDER
#
# Each command runs until it has filled the cache, one test file is changed if the row says so, and then the run that
# is kept follows. Counts are those of the reports that jest wrote when the tests really ran. Paths are replaced, and
# GitHub's runner's form of group commands is put for the commands themselves.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$work" || exit 1

package() { # folder, name
  mkdir -p "packages/$1"
  cat > "packages/$1/package.json" <<JSON
{"name": "$2", "version": "1.0.0", "scripts": {"test": "jest --json --outputFile=report.json", "build": "echo built"}}
JSON
  printf 'language: javascript\ntasks:\n  test:\n    command: "npm run --silent test"\n' > "packages/$1/moon.yml"
}
package core core
package web @acme/web
printf "test('adds', () => expect(1 + 1).toBe(2))\ntest('rounds', () => expect(Math.round(1.4)).toBe(1))\n" \
  > packages/core/total.test.js
printf "test('shows', () => expect('page').toContain('a'))\ntest.skip('prints', () => {})\n" > packages/web/page.test.js
echo "test('waits', () => expect(true).toBe(true))" >> packages/web/page.test.js
echo '{"name": "shop", "version": "1.0.0", "private": true, "packageManager": "npm@10.0.0", "workspaces": ["packages/*"]}' > package.json
echo '{"targetDefaults": {"test": {"cache": true}, "build": {"cache": true}}}' > nx.json
echo '{"tasks": {"test": {}, "build": {"inputs": ["package.json"]}}}' > turbo.json
mkdir -p .moon && printf 'projects: ["packages/*"]\nvcs: {defaultBranch: main}\n' > .moon/workspace.yml
printf 'node_modules\n.nx\n.turbo\n.moon/cache\nreport.json\n' > .gitignore
npm install --save-dev --no-audit --no-fund jest@29.7.0 nx@22.7.12 turbo@2.11.11 @moonrepo/cli@2.5.5 > npm.log 2>&1
rm -rf .git && git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b.test commit -qm shop
export CI=1 NX_DAEMON=false TURBO_TELEMETRY_DISABLED=1 NO_UPDATE_NOTIFIER=1 PATH="$work/node_modules/.bin:$PATH"

printf 'name\ttool\tcommand\tpassed\tskipped\treplayed\tgreen\tremark\n' > "$here/INDEX.tsv"
one() { # name, tool, packages whose output is a replay, green, remark, command
  for package in core web; do [[ " $3 " == *" $package "* ]] || echo "// $1" >> packages/$package/*.test.js; done
  bash -c "$6" > out.log 2>&1
  sed -e "s#$work#/home/runner/shop#g" -e "s/^::group::/##[group]/" -e "s/^::endgroup::/##[endgroup]/" out.log > "$here/$1.log"
  counts=$(node -e '
    const reports = ["core", "web"].map((name) => JSON.parse(require("fs").readFileSync(`packages/${name}/report.json`)))
    const total = (key) => reports.reduce((sum, report) => sum + report[key], 0)
    console.log([total("numPassedTests"), total("numPendingTests")].join("\t"))')
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$6" "$counts" "$(wc -w <<< "$3")" "$4" "$5" >> "$here/INDEX.tsv"
}
one turbo_fresh "turbo 2" "" yes "fills the cache" "turbo run test build"
one turbo_replayed "turbo 2" "core web" no "" "turbo run test build"
one turbo_in_part "turbo 2" "web" no "" "turbo run test build"
one turbo_only_builds "turbo 2" "" yes "the builds are replays, the tests are not" "turbo run test build"
one turbo_groups "turbo 2" "core web" no "as on GitHub's runners" "GITHUB_ACTIONS=true turbo run test build"
one turbo_groups_in_part "turbo 2" "core" no "as on GitHub's runners" "GITHUB_ACTIONS=true turbo run test build"
one nx_fresh "nx 22" "" yes "fills the cache" "nx run-many -t test --output-style=stream"
one nx_replayed "nx 22" "core web" no "" "nx run-many -t test --output-style=stream"
one nx_in_part "nx 22" "web" no "" "nx run-many -t test --output-style=stream"
one nx_groups_in_part "nx 22" "core" no "as on GitHub's runners" "GITHUB_ACTIONS=true nx run-many -t test"
one moon_fresh "moon 2" "" yes "fills the cache" "moon run :test"
one moon_replayed "moon 2" "core web" no "" "moon run :test"
one moon_in_part "moon 2" "web" no "" "moon run :test"
