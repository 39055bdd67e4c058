#!/usr/bin/env bash
# Makes the package for Debian, Ubuntu and what comes from them.
#
#   release/deb.sh TARGET VERSION PROGRAM FOLDER [SPEAKER]
#
# SPEAKER is a program of the same version that runs on this machine. It prints the manual page and the completions;
# PROGRAM does it where none is named. WIREPROOF_HOMEPAGE is the address of the project, if it has one. The same input
# gives the same bytes: owners, times and the order of files are fixed.
set -euo pipefail
umask 022

target=$1 version=$2 program=$3 folder=$4 speaker=${5:-$3}
root=$(cd "$(dirname "$0")/.." && pwd)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}

case $target in
  x86_64-*-linux-*) architecture=amd64 ;;
  aarch64-*-linux-*) architecture=arm64 ;;
  *)
    echo "there are no packages of Debian for $target" >&2
    exit 1
    ;;
esac
# Debian takes a version with a tilde for one that comes before: 1.0.0~rc.1 is older than 1.0.0.
version=${version/-/\~}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
tree=$staging/tree
documents=$tree/usr/share/doc/wireproof
mkdir -p "$tree/DEBIAN" "$documents"

install -D -m 755 "$program" "$tree/usr/bin/wireproof"

# A file that is empty would be a page or a completion that does nothing.
says() {
  local file=$tree/$1
  shift
  mkdir -p "$(dirname "$file")"
  "$speaker" "$@" >"$file"
  [ -s "$file" ] || {
    echo "\`$speaker $*\` prints nothing" >&2
    exit 1
  }
}
says usr/share/man/man1/wireproof.1 man
says usr/share/bash-completion/completions/wireproof completions bash
says usr/share/zsh/vendor-completions/_wireproof completions zsh
says usr/share/fish/vendor_completions.d/wireproof.fish completions fish
gzip -9n "$tree/usr/share/man/man1/wireproof.1"
gzip -9nc "$root/CHANGELOG.md" >"$documents/changelog.gz"

{
  echo "wireproof is licensed under either of the two licences below, at your option. The definitions of Protocol"
  echo "Buffers that it carries have the third. The crates that it is linked with are those of Cargo.lock in its source."
  for licence in LICENSE-MIT LICENSE-APACHE src/formats/protobuf/builtin/LICENSE; do
    printf '\n---- %s ----\n\n' "$licence"
    cat "$root/$licence"
  done
} >"$documents/copyright"

{
  echo "Package: wireproof"
  echo "Version: $version"
  echo "Architecture: $architecture"
  echo "Maintainer: The wireproof contributors"
  echo "Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f 1)"
  # Files and folders are compared without it; what asks for a base needs it.
  echo "Recommends: git"
  echo "Section: devel"
  echo "Priority: optional"
  if [ -n "${WIREPROOF_HOMEPAGE:-}" ]; then echo "Homepage: $WIREPROOF_HOMEPAGE"; fi
  echo "Description: tells whether a schema change will break somebody"
  echo " Compares two versions of Protocol Buffers, Avro, Thrift and FlatBuffers schemas"
  echo " and says who breaks, in which direction, and what to do. It proves what it says"
  echo " with bytes that one version writes and the other reads."
} >"$tree/DEBIAN/control"
(cd "$tree" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)

chmod -R go-w "$tree"
find "$tree" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
# xz: every Debian and Ubuntu that is still supported can read it.
dpkg-deb --root-owner-group -Zxz --build "$tree" "$folder/wireproof_${version}_$architecture.deb" >/dev/null
