#!/bin/bash
# Build the adapter with the pinned package into one binary, bin/release-order; needs the network once, replay does not.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_HOME="$(mktemp -d)" CARGO_TARGET_DIR="$(mktemp -d)"
# Without this, the cargo of Debian bookworm (0.66) clones the whole index of the registry, hundreds of megabytes. It has the
# sparse protocol as an unstable option, which the variables below open.
export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_SPARSE_REGISTRY=true
cargo build --quiet --release
mkdir -p bin
cp "$CARGO_TARGET_DIR/release/release-order" bin/release-order
rm -rf Cargo.lock "$CARGO_HOME" "$CARGO_TARGET_DIR"
