#!/bin/bash
# Answer every case of one suite: test.sh --cases-dir SUITE. One process answers them all.
set -euo pipefail
[ "${1:-}" = "--cases-dir" ] || { echo "usage: test.sh --cases-dir SUITE" >&2; exit 2; }
cd "$(dirname "$0")/.."
exec php -d display_errors=stderr answer.php "rcb_tests/$2" "rcb_tests/stdout/$2"
