#!/bin/sh
# Answer a whole suite in one Python process: rcb_tests/test.sh --cases-dir SUITE
set -eu
cd "$(dirname "$0")/.."
exec python3 adapter.py "$@"
