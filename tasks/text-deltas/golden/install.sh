#!/bin/sh
# Fetch the pinned package and compile the adapter against it, so that a replay needs neither network nor Maven.
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -n "${SSL_CERT_FILE:-}" ]; then
    java TrustStore.java "$SSL_CERT_FILE" "$scratch/trust.p12"
    export MAVEN_OPTS="-Djavax.net.ssl.trustStore=$scratch/trust.p12 -Djavax.net.ssl.trustStorePassword=changeit"
fi
mvn --quiet --batch-mode -Dmaven.repo.local="$scratch/m2" dependency:copy \
    -Dartifact=io.github.java-diff-utils:java-diff-utils:4.9 -DoutputDirectory="$PWD/lib"
javac -encoding UTF-8 -cp lib/java-diff-utils-4.9.jar -d classes Adapter.java Json.java
