#!/bin/bash
# Makes the logs of this folder and their INDEX.tsv: tools that run the tests of two packages at once and put the
# package's name before each line. Not run by the tests. Needs node 20 and npm with a registry:
#
#     bash make.sh WORKFOLDER
#
# The counts are added up from the reports that jest writes beside (--json --outputFile). Paths are replaced.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$work" || exit 1

package() { # folder, name
  mkdir -p "packages/$1"
  cat > "packages/$1/package.json" <<JSON
{"name": "$2", "version": "1.0.0", "scripts": {"test": "jest --json --outputFile=report.json"}}
JSON
  printf 'language: javascript\ntasks:\n  test:\n    command: "npm run --silent test"\n    options: {cache: false}\n' \
    > "packages/$1/moon.yml"
}
package core core
package web @acme/web
cat > packages/core/total.test.js <<'JS'
const pause = () => new Promise((done) => setTimeout(done, 300))
test('adds', async () => { await pause(); expect(1 + 1).toBe(2) })
test('rounds', () => expect(Math.round(1.4)).toBe(1))
JS
cat > packages/web/page.test.js <<'JS'
const pause = () => new Promise((done) => setTimeout(done, 300))
test('shows', async () => { await pause(); expect('page').toContain('a') })
test.skip('prints', () => {})
test('sends', () => expect(process.env.RED ? 2 : 1).toBe(1))
test('waits', () => expect(true).toBe(true))
JS
echo '{"name": "shop", "version": "1.0.0", "private": true, "packageManager": "npm@10.0.0", "workspaces": ["packages/*"]}' > package.json
echo '{"version": "1.0.0"}' > lerna.json
echo '{}' > nx.json
echo '{"tasks": {"test": {"cache": false, "passThroughEnv": ["RED"]}}}' > turbo.json
printf 'packages:\n  - "packages/*"\n' > pnpm-workspace.yaml
mkdir -p .moon && printf 'projects: ["packages/*"]\nvcs: {defaultBranch: main}\n' > .moon/workspace.yml
printf 'node_modules\n.nx\n.turbo\n.moon/cache\n' > .gitignore
npm install --save-dev --no-audit --no-fund \
  jest@29.7.0 lerna@9.0.7 nx@22.7.12 turbo@2.11.11 pnpm@9.15.9 @moonrepo/cli@2.5.5 concurrently@9.2.5 > npm.log 2>&1
rm -rf .git && git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b.test commit -qm shop
export CI=1 NX_DAEMON=false NX_SKIP_NX_CACHE=true TURBO_TELEMETRY_DISABLED=1 NO_UPDATE_NOTIFIER=1 PATH="$work/node_modules/.bin:$PATH"

sum() { node -e '
  const reports = ["core", "web"].map((name) => JSON.parse(require("fs").readFileSync(`packages/${name}/report.json`)))
  const total = (key) => reports.reduce((sum, report) => sum + report[key], 0)
  console.log([total("numPassedTests"), total("numFailedTests"), 0, total("numPendingTests")].join("\t"))'; }

printf 'name\trunner\tcommand\tpassed\tfailed\terrors\tskipped\tgreen\tcounts from\tremark\n' > "$here/INDEX.tsv"
one() { # name, tool, green, remark, command
  rm -f packages/*/report.json
  bash -c "$5" > out.log 2>&1
  sed -e "s#$work#/home/runner/shop#g" -e "s#$HOME#/home/runner#g" out.log > "$here/$1.log"
  printf '%s\tjest 29.7 under %s\t%s\t%s\t%s\tjest json\t%s\n' "$1" "$2" "$5" "$(sum)" "$3" "$4" >> "$here/INDEX.tsv"
}
one lerna_pass "lerna 9" yes "names without a scope too" "lerna run test --stream"
one lerna_red "lerna 9" no "" "RED=1 lerna run test --stream --no-bail"
one nx_pass "nx 22" yes "" "nx run-many -t test --output-style=stream"
one nx_colour "nx 22" yes "ANSI" "FORCE_COLOR=1 nx run-many -t test --output-style=stream"
one turbo_pass "turbo 2" yes "" "turbo run test"
one turbo_red "turbo 2" no "" "RED=1 turbo run test --continue"
one turbo_colour "turbo 2" yes "ANSI" "FORCE_COLOR=1 turbo run test"
one moon_pass "moon 2" yes "" "moon run :test"
one moon_red "moon 2" no "" "RED=1 moon run :test"
one concurrently_pass "concurrently 9" yes "" "concurrently 'cd packages/core && npm test' 'cd packages/web && npm test'"
one concurrently_red "concurrently 9" no "" "RED=1 concurrently 'cd packages/core && npm test' 'cd packages/web && npm test'"
npm pkg delete packageManager
one pnpm_pass "pnpm 9" yes "" "pnpm --recursive --stream run test"
one pnpm_red "pnpm 9" no "" "RED=1 pnpm --recursive --no-bail run test"
