#!/bin/sh
# Compile the adapter. The library it answers with is the runtime's own, which the image holds in a pinned version.
set -eu
cd "$(dirname "$0")"
mcs -nologo -optimize+ -warnaserror -out:adapter.exe Adapter.cs House.cs -r:System.Json.dll
