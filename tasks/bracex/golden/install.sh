#!/bin/sh
# Put the pinned package into the submission itself, so that a replay needs no network.
set -eu
cd "$(dirname "$0")"
python3 -m pip install --quiet --target vendor bracex==3.2.3
