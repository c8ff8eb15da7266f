#!/bin/bash
# Put the pinned package's PHP files into vendor/: the Debian package is fetched and unpacked without root. This needs the
# network once, replay does not.
set -euo pipefail
cd "$(dirname "$0")"
scratch="$(mktemp -d)"
mkdir -p "$scratch/state/lists/partial" "$scratch/cache/archives/partial"
options=(
    -o "Dir::Etc::SourceList=$ICAE_APT_SOURCES" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State=$scratch/state"
    -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$scratch/cache" -o Acquire::Languages=none
)
apt-get "${options[@]}" -qq update
(cd "$scratch" && apt-get "${options[@]}" -qq download php-composer-semver=3.3.2-1)
dpkg-deb -x "$scratch"/php-composer-semver_*.deb "$scratch/tree"
mkdir -p vendor
cp -r "$scratch/tree/usr/share/php/Composer/Semver" vendor/
rm -rf "$scratch"
