#!/bin/sh
# Install the pinned package into the current directory (the workspace); a replay then needs no network.
set -eu
npm install --prefix . --no-audit --no-fund --no-save --no-package-lock --ignore-scripts fracturedjsonjs@5.0.1
chmod +x rcb_tests/test.sh
