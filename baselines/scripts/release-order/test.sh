#!/bin/sh
# Compile once, then answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." || exit 1
[ -x build/answer ] || { mkdir -p build && rustc --edition 2021 -o build/answer solution.rs; } || exit 1
exec build/answer "$@"
