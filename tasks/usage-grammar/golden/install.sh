#!/usr/bin/env bash
# Fetch the pinned package and compile the adapter with it, so that a replay needs neither network nor compiler.
set -euo pipefail
cd "$(dirname "$0")"
place=$(mktemp -d)
mkdir -p "$place/state/lists/partial" "$place/cache/archives/partial" "$place/package"
options=(-qq -o "Dir::Etc::SourceList=${ICAE_APT_SOURCES:-/etc/apt/sources.list}" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State=$place/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$place/cache")
apt-get "${options[@]}" update
(cd "$place" && apt-get "${options[@]}" download libdocopt-dev=0.6.2-2.3)
dpkg-deb -x "$place"/libdocopt-dev_*.deb "$place/package"
# Static, so that nothing but the kernel is needed; without asserts, so that one odd case cannot end a whole suite.
g++ -std=c++17 -O1 -DNDEBUG -static -s -isystem "$place/package/usr/include" -o answer adapter.cpp
rm -rf "$place"
