#!/bin/sh
# Answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." && exec ruby solution.rb "$@"
