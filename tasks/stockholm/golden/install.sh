#!/usr/bin/env bash
# Install the pinned package below ./vendor; needs the network once, replay does not.
set -euo pipefail
cd "$(dirname "$0")"
python3 -m pip install --quiet --target vendor stockholm==0.5.7
