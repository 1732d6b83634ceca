#!/bin/bash
# What NAME_smoke_test runs, see bazel/fuzz.bzl: a fuzz target for 30 seconds,
# from the folder of the corpus on that the file given lies in.
#
# Input that ends it is kept among the test's outputs.
set -eu
target=$1 corpus=$(dirname "$2")
exec "$target" -max_total_time=30 -timeout=10 -print_final_stats=1 \
  -artifact_prefix="${TEST_UNDECLARED_OUTPUTS_DIR:-.}/" \
  "$TEST_TMPDIR" "$corpus"
