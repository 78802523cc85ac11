#!/usr/bin/env bash
# Builds the Debian packages abut and libabut-dev of the committed source, and lints them:
# jobs/debian.sh FOLDER   needs jobs/setup.sh, and the packages debhelper, lintian and libopenblas-dev
invoked_from=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# -eq 1 ] || die "needs a folder for the packages: jobs/debian.sh FOLDER"
cd "$invoked_from"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$root"
tree=$folder/abut
rm -rf "$tree" "$folder"/*.deb "$folder"/*.changes "$folder"/*.buildinfo
mkdir "$tree"
git archive HEAD | tar -x -C "$tree"
cp -r "$tree/packaging/debian" "$tree/debian"
cd "$tree"
say "build: log in $folder/build.log"
dpkg-buildpackage -b -us -uc >"$folder/build.log" 2>&1 || die "the build failed: $folder/build.log"
cd "$folder"
rm -rf "$tree"
say "lint"
lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on error,warning -- *.changes # bug reports belong to Debian
ls -- *.deb
