#!/bin/sh
# Compile once, then answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." || exit 1
[ -x build/answer ] || { mkdir -p build && g++ -std=c++17 -o build/answer ./*.cpp; } || exit 1
exec build/answer "$@"
