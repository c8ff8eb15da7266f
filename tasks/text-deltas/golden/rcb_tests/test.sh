#!/bin/sh
# Answer a whole suite in one Java process: rcb_tests/test.sh --cases-dir SUITE
set -eu
cd "$(dirname "$0")/.."
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -cp classes:lib/java-diff-utils-4.9.jar Adapter "$@"
