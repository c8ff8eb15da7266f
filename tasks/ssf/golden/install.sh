#!/bin/sh
# Install the pinned package into the current directory (the workspace), so that ./run finds it in node_modules.
set -eu
npm install --prefix . --no-audit --no-fund --no-save --no-package-lock --ignore-scripts ssf@0.11.2 frac@1.1.2
chmod +x run
