#!/usr/bin/env bash
# Answer a whole suite in one process: rcb_tests/SUITE/*.json -> rcb_tests/stdout/SUITE/STEM@NNN.txt
set -uo pipefail
cd "$(dirname "$0")/.."
[ "${1:-}" = "--cases-dir" ] && [ -n "${2:-}" ] || { echo "usage: test.sh --cases-dir SUITE" >&2; exit 2; }
exec ruby -EUTF-8:UTF-8 -Ivendor answer.rb "$2"
