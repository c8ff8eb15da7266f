#!/bin/sh
# Compile once, then answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." || exit 1
[ -f build/answer.exe ] || { mkdir -p build && mcs -r:System.Json -r:System.Numerics -out:build/answer.exe ./*.cs; } || exit 1
exec mono build/answer.exe "$@"
