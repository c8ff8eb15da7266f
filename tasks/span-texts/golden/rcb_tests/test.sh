#!/bin/sh
# Answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
set -eu
cd "$(dirname "$0")/.."
exec kotlin -cp classes AdapterKt "$@"
