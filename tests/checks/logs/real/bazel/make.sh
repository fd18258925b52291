#!/bin/bash
# Makes the logs of this folder. Not run by the tests. Needs bazel 4.2 (Debian: bazel-bootstrap), no network:
#
#     bash make.sh WORKFOLDER
#
# What bazel would fetch is put there as empty repositories: shell tests need none of it. The rows of INDEX.tsv were
# written by hand from the results in bazel's own build event file (--build_event_text_file), which tells for each
# target whether it was run, taken from the cache, flaky, or not built. Paths are replaced.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mkdir -p "$1" && cd "$1" && pwd)
mkdir -p "$work"/{coverage,cc/cc,java/java,shop} && cd "$work" || exit 1
touch coverage/WORKSPACE cc/WORKSPACE cc/BUILD cc/cc/BUILD java/WORKSPACE java/BUILD java/java/BUILD shop/WORKSPACE
printf '#!/bin/sh\n' > coverage/x.sh && chmod +x coverage/x.sh
printf '%s(name = "%s", srcs = ["x.sh"], visibility = ["//visibility:public"])\n' \
  filegroup coverage_report_generator sh_binary Main > coverage/BUILD
for rule in binary library test import toolchain toolchain_suite; do echo "cc_$rule = native.cc_$rule"; done > cc/cc/defs.bzl
for rule in binary library import test runtime toolchain package_configuration proto_library plugin; do
  echo "java_$rule = native.java_$rule"
done > java/java/defs.bzl
cd shop || exit 1
for name in total page flaky; do
  echo "sh_test(name = \"${name}_test\", srcs = [\"${name}_test.sh\"], flaky = $([ $name = flaky ] && echo True || echo False))"
done > BUILD
printf '#!/bin/sh\ncat <<X\n==== test session starts ====\ncollected 2 items\n\ntest_total.py ..      [100%%]\n\n==== 2 passed in 0.01s ====\nX\n' > total_test.sh
printf '#!/bin/sh\necho page\n' > page_test.sh
printf '#!/bin/sh\n[ -e %s ] || { touch %s; exit 1; }\n' "$work/once" "$work/once" > flaky_test.sh
chmod +x ./*.sh && rm -f "$work/once"
one() { # name, arguments
  local name=$1; shift
  bazel --nohome_rc --output_user_root="$work/root" test --spawn_strategy=local --color=no --curses=no --noshow_progress \
    --override_repository=remote_coverage_tools="$work/coverage" --override_repository=rules_cc="$work/cc" \
    --override_repository=rules_java="$work/java" --build_event_text_file="$work/$name.events" "$@" > "$work/out.log" 2>&1
  sed -E "s#$work/root/[0-9a-f]+#/home/runner/.cache/bazel#g" "$work/out.log" > "$here/$name.log"
}
one fresh //:total_test //:page_test
one cached //:total_test //:page_test
one cached_output //:total_test //:page_test --test_output=all
echo '#' >> page_test.sh && one in_part //:total_test //:page_test --test_output=all
one flaky //:all
printf '#!/bin/sh\necho no\nexit 3\n' > page_test.sh && one red //:all --test_output=errors
printf '#!/bin/sh\nsleep 9\n' > page_test.sh && one timeout -k --test_timeout=1 //:page_test //:total_test
one none //:all --test_tag_filters=none
printf '#!/bin/sh\necho page\n' > page_test.sh
printf 'sh_test(name = "broken_test", srcs = ["total_test.sh"], data = [":made"])\ngenrule(name = "made", outs = ["g"], cmd = "exit 1")\n' >> BUILD
one broken -k //:all
one fresh_again //:total_test //:page_test --nocache_test_results
bazel --nohome_rc --output_user_root="$work/root" shutdown
