#!/usr/bin/env bash
# Makes everything that a release has, from programs that are built already. Nothing is compiled and nothing is fetched.
#
#   release/all.sh [--partial] VERSION REPOSITORY_URL PROGRAMS FOLDER
#
# PROGRAMS holds one folder for each target, with the program in it. FOLDER gets the files and has to be empty or new. A
# target or a tool that is missing is an error. With --partial, which is for trying, what cannot be made is said and left
# out. One of the programs has to run on this machine: it prints the manual page and the completions.
set -euo pipefail
umask 022

partial=
if [ "${1:-}" = --partial ]; then
  partial=$1
  shift
fi
if [ $# != 4 ]; then
  echo "usage: all.sh [--partial] VERSION REPOSITORY_URL PROGRAMS FOLDER" >&2
  exit 2
fi
version=$1 repository=$2
here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "$3" && pwd)
mkdir -p "$4"
folder=$(cd "$4" && pwd)
if [ -n "$(ls -A "$folder")" ]; then
  echo "$folder is not empty: what is left from before would get into the checksums" >&2
  exit 1
fi
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT

targets='
x86_64-unknown-linux-gnu
aarch64-unknown-linux-gnu
x86_64-unknown-linux-musl
aarch64-unknown-linux-musl
x86_64-apple-darwin
aarch64-apple-darwin
x86_64-pc-windows-msvc
'
# These are linked statically and serve every C library, so packages take them.
linux=x86_64-unknown-linux-musl
linux_arm=aarch64-unknown-linux-musl

# Something that is not there: the end, or a line.
missing() {
  echo "not made: $1" >&2
  if [ -z "$partial" ]; then exit 1; fi
}

# Whether a tool is here for what it makes.
tool() {
  if command -v "$1" >/dev/null; then return 0; fi
  missing "$2; $1 is not here"
  return 1
}

program() {
  local file=$programs/$1/wireproof
  if [ -f "$file.exe" ]; then file=$file.exe; fi
  if [ -f "$file" ]; then printf '%s\n' "$file"; fi
}

# The program that runs here. What came out of an archive of artifacts has lost its right to be run.
speaker=
present=()
for target in $targets; do
  file=$(program "$target")
  if [ -z "$file" ]; then
    missing "anything for $target; there is no program of it in $programs"
    continue
  fi
  present+=("$target")
  cp "$file" "$staging/speaker"
  chmod +x "$staging/speaker"
  if [ -z "$speaker" ] && [ "$("$staging/speaker" --version 2>/dev/null)" = "wireproof $version" ]; then
    mv "$staging/speaker" "$staging/says"
    speaker=$staging/says
  fi
done
if [ -z "$speaker" ]; then
  echo "no program in $programs runs here and calls itself wireproof $version" >&2
  exit 1
fi

sums() {
  (cd "$folder" && LC_ALL=C && sha256sum -- *)
}

archives() {
  local target
  for target in "${present[@]}"; do "$here/pack.sh" "$target" "$version" "$(program "$target")" "$folder"; done
}

wheels() {
  local target
  tool python3 "wheels" || return 0
  for target in "${present[@]}"; do
    # Those with a C library of their own serve these systems as well.
    case $target in *-linux-gnu) continue ;; esac
    python3 "$here/wheel.py" "$target" "$version" "$(program "$target")" "$folder" >/dev/null
  done
}

npm_packages() {
  local package packed
  tool node "packages of npm" && tool npm "packages of npm" || return 0
  node "$here/npm/generate.mjs" "$version" "$repository" "$programs" "$staging/npm" ${partial:+"$partial"}
  mkdir "$staging/packed"
  for package in "$staging"/npm/*/; do
    npm pack --silent --offline --pack-destination "$staging/packed" "$package" >/dev/null
  done
  # Beside the archives their names would say nothing.
  for packed in "$staging"/packed/*.tgz; do mv "$packed" "$folder/npm-$(basename "$packed")"; done
}

debs() {
  local target file
  tool dpkg-deb "packages of Debian" || return 0
  for target in $linux $linux_arm; do
    file=$(program "$target")
    if [ -n "$file" ]; then
      WIREPROOF_HOMEPAGE=$repository "$here/deb.sh" "$target" "$version" "$file" "$folder" "$speaker"
    fi
  done
}

# What an image is built from: `tar -xzf` it, and `docker build .` or `podman build .` there.
container() {
  local name=container-wireproof-$version pair file
  mkdir "$staging/$name"
  cp "$here/Containerfile" "$staging/$name/Dockerfile"
  for pair in "amd64 $linux" "arm64 $linux_arm"; do
    file=$(program "${pair#* }")
    if [ -n "$file" ]; then install -D -m 755 "$file" "$staging/$name/${pair% *}/wireproof"; fi
  done
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" -C "$staging" \
    -czf "$folder/$name.tgz" "$name"
}

installer() {
  sed -e "s|@VERSION@|$version|" -e "s|@REPOSITORY@|$repository|" "$here/install.sh" >"$folder/install.sh"
}

formula() {
  sums >"$staging/sums"
  "$here/formula.sh" "$version" "$repository" "$staging/sums" >"$staging/wireproof.rb" ||
    missing "the formula of Homebrew"
  if [ -s "$staging/wireproof.rb" ]; then mv "$staging/wireproof.rb" "$folder/"; fi
}

archives
wheels
npm_packages
debs
container
installer
formula
sums >"$staging/SHA256SUMS"
mv "$staging/SHA256SUMS" "$folder/"
