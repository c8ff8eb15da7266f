#!/bin/sh
# Compile once, then answer a whole suite in one process: rcb_tests/test.sh --cases-dir SUITE
cd "$(dirname "$0")/.." || exit 1
export GOCACHE="${GOCACHE:-$PWD/build/cache}" GOPATH="$PWD/build/go" GOFLAGS=-mod=mod CGO_ENABLED=0
[ -x build/answer ] || go build -o build/answer . || exit 1
exec build/answer "$@"
