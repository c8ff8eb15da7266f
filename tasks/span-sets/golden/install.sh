#!/usr/bin/env bash
# Fetch the pinned module (go.sum holds its checksum), build the adapter into ./bin; replay needs no network.
set -euo pipefail
cd "$(dirname "$0")"
scratch="$(mktemp -d)"
export GOPATH="$scratch/path" GOMODCACHE="$scratch/modules" GOCACHE="$scratch/build" GOTMPDIR="$scratch"
export CGO_ENABLED=0 GOFLAGS="-mod=readonly -modcacherw -trimpath"
go mod download
mkdir -p bin
go build -ldflags="-s -w" -o bin/answer .
rm -rf "$scratch"
