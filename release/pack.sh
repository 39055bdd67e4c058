#!/usr/bin/env bash
# Packs a program into the archives of a release.
#
#   release/pack.sh TARGET VERSION PROGRAM FOLDER
#
# The names are those that cargo-binstall looks for unaided: wireproof-TARGET-vVERSION.tgz, with a folder of that name
# inside. For Windows there is a .zip as well, because people there expect one.
set -euo pipefail

target=$1 version=$2 program=$3 folder=$4
root=$(cd "$(dirname "$0")/.." && pwd)
name=wireproof-$target-v$version

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
mkdir "$staging/$name"
cp "$program" "$root/README.md" "$root/CHANGELOG.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$staging/$name/"
chmod +x "$staging/$name/$(basename "$program")"

# The same input gives the same bytes where tar can be told so; the one of macOS cannot.
fixed=()
if tar --version | grep -q GNU; then
  fixed=(--sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" --mode=go-w)
fi

cd "$staging"
tar ${fixed[@]+"${fixed[@]}"} -czf "$folder/$name.tgz" "$name"
case $target in
  *-windows-*)
    if command -v 7z >/dev/null; then
      7z a -bso0 "$folder/$name.zip" "$name"
    elif command -v zip >/dev/null; then
      zip -qr "$folder/$name.zip" "$name"
    else
      python3 -m zipfile -c "$folder/$name.zip" "$name"
    fi
    ;;
esac
