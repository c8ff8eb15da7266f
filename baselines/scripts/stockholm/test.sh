#!/usr/bin/env bash
# Answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
set -uo pipefail
cd "$(dirname "$0")/.."
[ "${1:-}" = "--cases-dir" ] && [ -n "${2:-}" ] || { echo "usage: test.sh --cases-dir SUITE" >&2; exit 2; }
exec python3 solution.py "$2"
