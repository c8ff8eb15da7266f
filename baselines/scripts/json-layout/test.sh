#!/bin/sh
# Compile once, then answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." || exit 1
[ -f build/solution.js ] || tsc --strict --skipLibCheck --target es2020 --module commonjs --outDir build solution.ts || exit 1
exec node build/solution.js "$@"
