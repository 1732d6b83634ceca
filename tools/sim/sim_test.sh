#!/bin/bash
# The program from outside: what it prints, writes and answers.
set -u
sim=tools/sim/sim
out=$TEST_TMPDIR
failures=0

expect() {  # WHAT COMMAND...
  local what=$1
  shift
  if ! "$@"; then
    echo "FAILED: $what"
    failures=$((failures + 1))
  fi
}

small=(--bytes 200KB --rtt 20ms --rate 20Mbps --loss 2%)

"$sim" "${small[@]}" --seeds 4 --verbose >"$out/table"
expect "a sweep succeeds" test $? -eq 0
expect "it says what it ran" grep -q "^bulk of 200KB over 20Mbps, RTT 20ms, loss 2% each way" "$out/table"
expect "it says how many completed" grep -q "^4 runs, seeds 1 to 4: all complete" "$out/table"
expect "it has a line for each seed" grep -Eq "^ +4 +[0-9]+\.[0-9]{3} +[0-9]+" "$out/table"
expect "it has medians" grep -Eq "^time +ms( +[0-9]+\.[0-9]{3}){3}$" "$out/table"

# What it says about running one again is true.
again=$(sed -n 's|^  bazel run --config=opt //tools:sim -- ||p' "$out/table")
slowest=$(sed -n 's/^Slowest is seed [0-9]* with \([0-9.]*\) ms.*/\1/p' "$out/table")
expect "it says how to see the slowest" test -n "$again" -a -n "$slowest"
# shellcheck disable=SC2086  # flags, one a word
(export BUILD_WORKING_DIRECTORY=$out && "$sim" $again) >"$out/one"
expect "the slowest succeeds again" test $? -eq 0
expect "and is as slow" grep -Eq "^time +ms +$slowest$" "$out/one"
expect "its plot is a picture" grep -q "</svg>" "$out"/seed*.svg

"$sim" "${small[@]}" --seeds 4 --jobs 1 | grep -v complete >"$out/alone"
"$sim" "${small[@]}" --seeds 4 --jobs 3 | grep -v complete >"$out/together"
expect "jobs change nothing" cmp "$out/alone" "$out/together"

"$sim" "${small[@]}" --seeds 2 --limit 50ms >"$out/late"
expect "a run that is too slow fails" test $? -eq 1
expect "and is told of" grep -q "^seed 1 failed: .*not done; received [0-9]* of 200000$" "$out/late"
expect "and has no figures" grep -q "^No run succeeded" "$out/late"

# Nothing but SYNs: the picture is of the time they took.
"$sim" --loss 100% --limit 20s --seeds 1 --plot "$out/none.svg" >"$out/none"
expect "a run without data fails" test $? -eq 1
expect "its plot has an axis of time" grep -q ">Time, s<" "$out/none.svg"
expect "up to its end" grep -q ">20<" "$out/none.svg"
expect "and says that there is nothing" grep -q ">nothing to show<" "$out/none.svg"

"$sim" --loss much 2>"$out/wrong"
expect "a wrong value ends it" test $? -eq 2
expect "and is told of" grep -q '^sim: --loss is SHARE' "$out/wrong"

"$sim" --seeds 1 --bytes 1KB --plot /nowhere/a.svg >/dev/null 2>"$out/wrong"
expect "a plot that cannot be written ends it" test $? -eq 2

"$sim" --help >"$out/help"
expect "help succeeds" test $? -eq 0
expect "help tells of flags" grep -q -- "--congestion reno" "$out/help"

exit $((failures > 0))
