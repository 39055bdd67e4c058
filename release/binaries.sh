#!/usr/bin/env bash
# Prints the file by which the action knows the programs of a release: .github/action/binaries.json.
#
#   release/binaries.sh VERSION BASE_URL SHA256SUMS
#
# One target on a line, because the action reads it with sed. Only .tgz archives: tar is everywhere.
set -euo pipefail

version=$1 base=$2 sums=$3
printf '{\n  "version": "%s",\n  "binaries": {' "$version"
comma=
while read -r sum file; do
  file=${file#\*}
  case $file in
    wireproof-*-v"$version".tgz)
      target=${file#wireproof-}
      target=${target%-v"$version".tgz}
      printf '%s\n    "%s": { "url": "%s/%s", "sha256": "%s" }' "$comma" "$target" "$base" "$file" "$sum"
      comma=,
      ;;
  esac
done < <(sort -k 2 "$sums")
if [ -z "$comma" ]; then
  echo "there is no archive of version $version in $sums" >&2
  exit 1
fi
printf '\n  }\n}\n'
