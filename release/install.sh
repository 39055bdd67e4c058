#!/bin/sh
# Installs wireproof: finds the archive for this machine, checks its SHA-256, and puts the program into a folder.
#
#   sh install.sh
#
# WIREPROOF_INSTALL_DIR   where to; otherwise ~/.local/bin
# WIREPROOF_VERSION       which version; otherwise the one that this script came with
# WIREPROOF_BASE_URL      where the archives are, for a mirror; otherwise the releases of the repository
# WIREPROOF_TARGET        which build, if not the one for this machine
set -eu

# The release fills these in.
version=${WIREPROOF_VERSION:-@VERSION@}
base=${WIREPROOF_BASE_URL:-@REPOSITORY@/releases/download/v$version}
folder=${WIREPROOF_INSTALL_DIR:-${HOME:?HOME is not set: set WIREPROOF_INSTALL_DIR}/.local/bin}

say() {
  printf 'wireproof: %s\n' "$*" >&2
}

give_up() {
  say "$*"
  exit 1
}

target() {
  case "$(uname -s)/$(uname -m)" in
    # Linked statically: it runs whatever the C library is.
    Linux/x86_64 | Linux/amd64) echo x86_64-unknown-linux-musl ;;
    Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-musl ;;
    Darwin/arm64) echo aarch64-apple-darwin ;;
    Darwin/x86_64)
      # A shell that is translated does not know what the machine is.
      if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
        echo aarch64-apple-darwin
      else
        echo x86_64-apple-darwin
      fi
      ;;
    *) give_up "there is no build for $(uname -s) on $(uname -m). Build it: cargo install --locked wireproof" ;;
  esac
}

fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl --proto "=$protocol" --tlsv1.2 --fail --silent --show-error --location --retry 3 --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --tries=3 --output-document="$2" "$1"
  else
    give_up "neither curl nor wget is here"
  fi
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  else
    give_up "neither sha256sum nor shasum is here, so what was downloaded cannot be checked"
  fi | cut -d ' ' -f 1
}

main() {
  case $version in
    @*) give_up "this script is not from a release: set WIREPROOF_VERSION and WIREPROOF_BASE_URL" ;;
    *[!0-9A-Za-z.+-]* | '') give_up "\`$version\` is no version" ;;
  esac
  case $base in
    https://*) protocol=https ;;
    # A mirror on this very machine.
    http://127.0.0.1:* | http://localhost:*) protocol=http ;;
    *) give_up "the address of the archives has to start with https://" ;;
  esac
  wanted=${WIREPROOF_TARGET:-$(target)}
  name=wireproof-$wanted-v$version
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM

  fetch "$base/SHA256SUMS" "$work/SHA256SUMS" || give_up "cannot fetch $base/SHA256SUMS"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$name\.tgz\$/\1/p" "$work/SHA256SUMS")
  if [ -z "$expected" ]; then give_up "version $version has no build for $wanted"; fi
  fetch "$base/$name.tgz" "$work/$name.tgz" || give_up "cannot fetch $base/$name.tgz"
  actual=$(sha256 "$work/$name.tgz")
  if [ "$actual" != "$expected" ]; then
    give_up "the SHA-256 of $name.tgz is $actual and should be $expected. Nothing was installed."
  fi

  tar -xzf "$work/$name.tgz" -C "$work"
  mkdir -p "$folder"
  # Beside its place first: a program that runs is replaced and not written into.
  cp "$work/$name/wireproof" "$folder/.wireproof.new"
  chmod 755 "$folder/.wireproof.new"
  mv -f "$folder/.wireproof.new" "$folder/wireproof"
  say "$("$folder/wireproof" --version) is in $folder"
  case ":${PATH:-}:" in
    *":$folder:"*) ;;
    *) say "add it to your PATH: export PATH=\"$folder:\$PATH\"" ;;
  esac
}

# The last line: a script that was cut off on the way does nothing.
main
