#!/usr/bin/env bash
# Fetch the pinned package and keep its Ruby files beside the adapter, so that a replay needs no network.
set -euo pipefail
cd "$(dirname "$0")"
place=$(mktemp -d)
mkdir -p "$place/state/lists/partial" "$place/cache/archives/partial" "$place/package"
options=(-qq -o "Dir::Etc::SourceList=${ICAE_APT_SOURCES:-/etc/apt/sources.list}" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State=$place/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$place/cache")
apt-get "${options[@]}" update
(cd "$place" && apt-get "${options[@]}" download ruby-hashdiff=1.0.1-1)
dpkg-deb -x "$place"/ruby-hashdiff_*.deb "$place/package"
mkdir -p vendor
cp -r "$place"/package/usr/share/rubygems-integration/all/gems/hashdiff-1.0.1/lib/. vendor/
rm -rf "$place"
