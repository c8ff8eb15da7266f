#!/usr/bin/env bash
set -uo pipefail
cd "$(dirname "$0")/.."
exec python3 solution.py "$2"
