#!/bin/sh
# Compile once, then answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." || exit 1
[ -f build/Solution.class ] || javac -encoding UTF-8 -d build ./*.java || exit 1
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp build Solution "$@"
