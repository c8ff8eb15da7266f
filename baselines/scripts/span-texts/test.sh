#!/bin/sh
# Compile once, then answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." || exit 1
[ -f build/SolutionKt.class ] || kotlinc ./*.kt -d build || exit 1
exec kotlin -cp build SolutionKt "$@"
