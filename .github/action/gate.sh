#!/usr/bin/env bash
# What the steps of action.yml do: `gate.sh install`, then `gate.sh check`, then `gate.sh comment`.
#
# Inputs arrive as environment variables and are never part of a program. What schemas say is printed only where the
# runner does not look for commands, or by the program, which escapes it. Nothing that lies in the checkout is run:
# docs/security.md says who controls what. Only `comment` has a token.
set -euo pipefail

# What makes shells, tar and `cd` do more than is written here.
unset BASH_ENV ENV CDPATH TAR_OPTIONS

# The one token that is ours goes to one process, by hand. Tokens that the job has in its environment are for others. A
# process keeps the environment it was started with where its children can look it up, so this one is started anew.
unset token tokens
token=${IN_TOKEN:-}
tokens=${IN_TOKEN:-}${GITHUB_TOKEN:-}${GH_TOKEN:-}${GITHUB_ENTERPRISE_TOKEN:-}${GH_ENTERPRISE_TOKEN:-}
tokens=$tokens${ACTIONS_RUNTIME_TOKEN:-}${ACTIONS_ID_TOKEN_REQUEST_TOKEN:-}
unset IN_TOKEN GITHUB_TOKEN GH_TOKEN GITHUB_ENTERPRISE_TOKEN GH_ENTERPRISE_TOKEN
unset ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN ACTIONS_ID_TOKEN_REQUEST_URL
if [ -n "$tokens" ] && [ "${1:-}" != comment ]; then exec "$BASH" -p "$0" "$@"; fi
unset tokens

# A folder by its true name; nothing where there is no such folder.
physical() {
  (cd -P -- "$1" 2>/dev/null && pwd -P)
}

# The folder whose content a pull request writes: the workspace, or without a runner the repository around us.
checkout() {
  local folder
  if [ -n "${GITHUB_WORKSPACE:-}" ]; then
    physical "$GITHUB_WORKSPACE" || true
    return
  fi
  folder=$(pwd -P)
  while [ -n "$folder" ] && [ ! -e "$folder/.git" ]; do folder=${folder%/*}; done
  printf '%s\n' "$folder"
}

is_in_checkout() {
  if [ -z "$checkout" ]; then return 1; fi
  case $1/ in
    "$checkout"/*) return 0 ;;
    *) return 1 ;;
  esac
}

# Whether a text names the checkout, as the runner spells it or by its true name.
leads_into_checkout() {
  if [ -z "$checkout" ]; then return 1; fi
  case $1 in
    *"$checkout"* | *"${GITHUB_WORKSPACE:-$checkout}"*) return 0 ;;
    *) return 1 ;;
  esac
}

# What is left of a list of folders without those in the checkout, and without those that depend on where one stands.
outside_of_checkout() {
  local kept='' folder real IFS=:
  set -f
  for folder in $1; do
    case $folder in
      /*) real=$(physical "$folder") || continue ;;
      *) continue ;;
    esac
    if ! is_in_checkout "$real"; then kept=$kept:$folder; fi
  done
  set +f
  printf '%s\n' "${kept#:}"
}

checkout=$(checkout)
PATH=$(outside_of_checkout "$PATH")
export PATH
for list in LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH; do
  if [ -n "${!list:-}" ]; then export "$list=$(outside_of_checkout "${!list}")"; fi
done

# Windows writes its paths with backslashes; every program there takes the other ones as well.
temp=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
temp=${temp//\\//}

# Text as the value of a workflow command.
escaped() {
  local text=$1
  text=${text//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}

annotate() {
  printf '::%s title=wireproof::%s\n' "$1" "$(escaped "$2")"
}

# Without a program there is no verdict: exit code 3, as the program has it. Standard output may be caught by a caller;
# the runner reads both.
give_up() {
  annotate error "$1" >&2
  exit 3
}

output() {
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# A path as programs outside of this shell know it.
native() {
  if command -v cygpath >/dev/null; then cygpath -am "$1"; else
    case $1 in
      /*) printf '%s\n' "$1" ;;
      *) printf '%s\n' "$PWD/$1" ;;
    esac
  fi
}

# ---------------------------------------------------------------------------------------------------------- install

# The file that a release fills: one target on a line, so that no other program is needed to read it.
pinned_version() {
  sed -n 's/^  "version": "\([0-9A-Za-z.+-]*\)",$/\1/p' "$binaries"
}

pinned_binary() {
  sed -n "s|^    \"$1\": { \"url\": \"\([^\" ]*\)\", \"sha256\": \"\([0-9a-f]\{64\}\)\" },\{0,1\}$|\1 \2|p" "$binaries"
}

target() {
  case "$(uname -s)/$(uname -m)" in
    Linux/x86_64) echo x86_64-unknown-linux-musl ;;
    Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-musl ;;
    Darwin/x86_64) echo x86_64-apple-darwin ;;
    Darwin/arm64) echo aarch64-apple-darwin ;;
    MINGW*/x86_64 | MSYS*/x86_64) echo x86_64-pc-windows-msvc ;;
    MINGW*/aarch64 | MSYS*/aarch64) echo aarch64-pc-windows-msvc ;;
    *) echo "unknown" ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 <"$1"
  else
    give_up "neither sha256sum nor shasum is here, so the program that was downloaded cannot be verified"
  fi | cut -d ' ' -f 1
}

download() {
  local version=$1 url=$2 expected=$3 folder=$4 archive actual
  archive=$folder/${url##*/}
  echo "Download $url"
  curl --proto '=https' --proto-redir '=https' --tlsv1.2 --fail --silent --show-error --location --retry 3 \
    --output "$archive" "$url" ||
    give_up "wireproof $version could not be downloaded from $url. To build it instead: \`version: source\`"
  actual=$(sha256 "$archive")
  if [ "$actual" != "$expected" ]; then
    give_up "the checksum of $url is $actual and should be $expected. Nothing of it was run."
  fi
  # To ask GitHub who built these bytes takes a token, and no step that installs or runs something has one. It would tell
  # nothing about them that is not settled: they are those that this commit of the action names.
  echo "The checksum is the one that this version of the action names. Its attestation is not asked for: that takes a token."
  tar -xzf "$archive" -C "$folder"
  program=$(find "$folder" -type f \( -name wireproof -o -name wireproof.exe \) | head -n 1)
  [ -n "$program" ] || give_up "there is no program in $url"
}

# Leaves of the environment what cargo needs to reach registries and toolchains. What the job set for its own builds
# (flags, wrappers, targets, linkers) is not for this one, and may lead into the checkout: a target directory, for
# instance, in which everything is built already.
forget_for_build() {
  local name
  for name in $(compgen -e); do
    case $name in
      PATH | PWD | OLDPWD) continue ;;
      *TOKEN* | *SECRET* | *PASSWORD*) unset "$name" ;;
      CARGO_HOME | CARGO_HTTP_* | CARGO_NET_* | RUSTUP_HOME | RUSTUP_DIST_SERVER | RUSTUP_UPDATE_ROOT) ;;
      CARGO* | RUST* | CC | CC_* | CXX | CXX_* | CPP | AR | AR_* | LD | NM | RANLIB | MAKEFLAGS | MAKE) unset "$name" ;;
      *_CC | *_CXX | *_AR | *FLAGS | *FLAGS_* | LD_PRELOAD | LD_AUDIT | DYLD_INSERT_LIBRARIES) unset "$name" ;;
      GITHUB_* | ACTIONS_* | INPUT_* | IN_*) unset "$name" ;;
    esac
    if leads_into_checkout "${!name:-}"; then unset "$name"; fi
  done
}

# rustup would take the toolchain that the folder it stands in asks for, even a path; or a default that an earlier step
# made of such a file. So it is named, and brought where it is missing or too old.
choose_toolchain() {
  local cargo rustup needed has
  export RUSTUP_TOOLCHAIN=stable
  cargo=$(command -v cargo)
  rustup=${cargo%/*}/rustup
  if [ ! -x "$rustup" ]; then return 0; fi
  needed=$(sed -n 's/^rust-version = "1\.\([0-9]*\).*$/\1/p' "$ACTION_PATH/Cargo.toml")
  has=$("$rustup" run stable rustc --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\)\..*$/\1/p') || true
  if [ "${has:-0}" -lt "${needed:-0}" ]; then
    "$rustup" toolchain install stable --profile minimal --no-self-update
  fi
}

# The action's source in a folder of its own: cargo also obeys what lies in the folders above, and where the action is a
# folder of the checkout (`uses: ./`), those are the pull request's. Hidden files take no part in the build.
copy_source() {
  local entry
  mkdir "$1" || return
  for entry in "$ACTION_PATH"/*; do
    case ${entry##*/} in
      target | rust-toolchain | rust-toolchain.toml) ;;
      *) if [ -e "$entry" ]; then cp -R "$entry" "$1/" || return; fi ;;
    esac
  done
}

build() {
  local source=$1/source
  command -v cargo >/dev/null ||
    give_up "there is no cargo here to build wireproof with; what lies in the checkout does not count. \
Install Rust in an earlier step, or wireproof itself and set \`version: path\`"
  copy_source "$source" || give_up "the source of the action cannot be copied to $source"
  echo "::group::Build wireproof from the action's own source"
  # A shell of its own: the environment is another one, and so is the folder.
  (
    cd "$source" && forget_for_build && choose_toolchain && cargo install --locked --path "$source" --root "$1"
  ) || give_up "wireproof could not be built; see the log of this step"
  echo "::endgroup::"
  rm -rf "$source"
  program=$1/bin/wireproof
  if [ -x "$program.exe" ]; then program=$program.exe; fi
}

# Where programs are kept that were built here: a folder of the runner. Nothing where there is none, where it lies in the
# checkout, or where somebody else owns it.
cache_folder() {
  local folder=${RUNNER_TOOL_CACHE:-}
  if [ -z "$folder" ] || ! folder=$(physical "${folder//\\//}") || is_in_checkout "$folder"; then return 1; fi
  folder=$folder/wireproof
  if [ ! -e "$folder" ]; then mkdir -m 700 "$folder" 2>/dev/null || return 1; fi
  if [ -L "$folder" ] || [ ! -d "$folder" ] || [ ! -O "$folder" ]; then return 1; fi
  printf '%s\n' "$folder"
}

# The checksums of all that is built from, in a fixed order. A link may lead to what is not listed, so there is none.
listed_source() {
  local entry entries=() sum=(sha256sum)
  command -v sha256sum >/dev/null || sum=(shasum -a 256)
  cd "$ACTION_PATH" || return
  for entry in *; do
    case $entry in
      target | rust-toolchain | rust-toolchain.toml) ;;
      *) entries+=("./$entry") ;;
    esac
  done
  if [ -n "$(find "${entries[@]}" -type l)" ]; then return 1; fi
  find "${entries[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 "${sum[@]}"
}

# What the program depends on: the source, the machine with its C library, and the compiler as it is before a build. The
# compiler stands beside cargo; where rustup has one that is too old, the build brings a newer one, and the key is another
# from the next run on.
cache_key() {
  local cargo source
  command -v sha256sum >/dev/null || command -v shasum >/dev/null || return 1
  source=$(listed_source) || return 1
  cargo=$(command -v cargo) || return 1
  {
    printf '%s\n' "$source" "$(uname -s) $(uname -m)"
    getconf GNU_LIBC_VERSION 2>/dev/null || ldd --version 2>&1 | head -n 2 || true
    (forget_for_build && RUSTUP_TOOLCHAIN=stable "${cargo%/*}/rustc" -vV 2>/dev/null) || echo "no compiler beside cargo"
  } | sha256 /dev/stdin
}

# The program that an earlier run built, where it is the one that was put there. It is copied first and then looked at, so
# that what is run is what was looked at.
take_from_cache() {
  local entry=$1 folder=$2 name=wireproof
  case $(target) in *-windows-*) name=wireproof.exe ;; esac
  if [ ! -d "$entry" ]; then return 1; fi
  mkdir "$folder/bin" || return 1
  if [ -L "$entry" ] || [ -L "$entry/$name" ] || ! cp "$entry/$name" "$folder/bin/$name" ||
    [ "$(cat "$entry/sum" 2>/dev/null)" != "${entry##*/} $(sha256 "$folder/bin/$name")" ] ||
    ! "$folder/bin/$name" --version >/dev/null 2>&1; then
    echo "What is kept in $entry is not what was put there, or does not run here. It is thrown away."
    rm -rf "$entry" "${folder:?}/bin"
    return 1
  fi
  # What nobody asks for goes after a month.
  touch "$entry" || true
  program=$folder/bin/$name
}

# All at once by its name, so that nobody finds half of it. Where it cannot be kept, the next run builds again.
put_into_cache() {
  local entry=$1 fresh
  find "${entry%/*}" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + || true
  fresh=$(mktemp -d "${entry%/*}/.new-XXXXXX") || return 0
  if cp "$program" "$fresh/" && printf '%s %s\n' "${entry##*/}" "$(sha256 "$program")" >"$fresh/sum" &&
    [ ! -e "$entry" ] && mv "$fresh" "$entry"; then
    echo "It is kept in $entry for later runs."
  else
    rm -rf "$fresh"
  fi
}

# `version: source` asks for a build whatever is there.
build_or_take() {
  local folder=$1 cache='' key=''
  if [ "${IN_VERSION:-}" != source ] && cache=$(cache_folder) && key=$(cache_key); then
    if take_from_cache "$cache/$key" "$folder"; then
      echo "An earlier run built it from the same source: $cache/$key"
      return
    fi
  fi
  build "$folder"
  if [ -n "$key" ]; then put_into_cache "$cache/$key"; fi
}

install() {
  local binaries=$ACTION_PATH/.github/action/binaries.json version url='' checksum='' folder program
  version=$(pinned_version)
  # Nobody but us has written anything in here.
  folder=$(mktemp -d "$temp/wireproof-XXXXXX")
  folder=$(physical "$folder")
  if is_in_checkout "$folder"; then
    give_up "the folder for temporary files, $temp, lies in the checkout. Set RUNNER_TEMP to one that does not"
  fi
  cd "$folder"
  case ${IN_VERSION:-} in
    path)
      program=$(command -v wireproof) || give_up "\`version: path\` was asked for, and there is no wireproof on PATH; what lies in the checkout does not count"
      ;;
    source | '' | "$version")
      if [ -n "$version" ] && [ "${IN_VERSION:-}" != source ]; then
        read -r url checksum <<<"$(pinned_binary "$(target)")" || true
        if [ -z "$url" ]; then echo "There is no binary for $(uname -s) on $(uname -m)."; fi
      elif [ -z "$version" ]; then
        echo "There is no release yet that this version of the action could download."
      fi
      if [ -n "$url" ]; then download "$version" "$url" "$checksum" "$folder"; else build_or_take "$folder"; fi
      ;;
    *)
      give_up "this version of the action knows the checksums of wireproof ${version:-(no release yet)} and of no other. \
For another version, name another commit of the action; \`version\` is empty, \`source\` or \`path\`"
      ;;
  esac
  local says
  says=$("$program" --version) || give_up "$program does not run here"
  if [ -n "$url" ] && [ "$says" != "wireproof $version" ]; then
    give_up "the program that was downloaded calls itself \`$says\` and should be wireproof $version"
  fi
  echo "$says: $program"
  output version "${says#wireproof }"
  output path "$(native "$program")"
  # For later steps; what was on PATH is there already.
  if [ "${IN_VERSION:-}" != path ]; then dirname "$program" >>"$GITHUB_PATH"; fi
}

# ------------------------------------------------------------------------------------------------------------ check

# A job summary holds 1 MiB; GitHub shows nothing of a larger one.
summarize() {
  local report=$1 most=1000000 size
  if [ ! -s "$report" ]; then return 0; fi
  size=$(wc -c <"$report" | tr -d ' ')
  if [ "$size" -le "$most" ]; then
    cat "$report" >>"$GITHUB_STEP_SUMMARY"
    return
  fi
  {
    printf '> [!WARNING]\n> This report has %s bytes. A job summary holds 1 MiB, so its end is missing here; ' "$size"
    printf 'the files that the action names as report-markdown and report-json are complete.\n\n'
    # The last line is dropped, because it may be cut inside a letter.
    head -c "$most" "$report" | sed '$d'
  } >>"$GITHUB_STEP_SUMMARY"
}

# Anything between two lines that only this step knows is text and no command.
quoting() {
  local key
  key=wireproof-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$key"
  "$@" || true
  # The text may not end with a line end.
  printf '\n::%s::\n' "$key"
}

choices() {
  case $IN_COMMENT in auto | always | never) ;; *) give_up "\`comment\` is auto, always or never, and not \`$IN_COMMENT\`" ;; esac
  case $IN_ANNOTATIONS in true | false) ;; *) give_up "\`annotations\` is true or false, and not \`$IN_ANNOTATIONS\`" ;; esac
  case $IN_REVIEW in true | false) ;; *) give_up "\`review\` is true or false, and not \`$IN_REVIEW\`" ;; esac
}

# A file that the action is to write, where the pull request may have put a link to some other place.
writable() {
  local file=$2 folder real
  case $file in
    /* | [A-Za-z]:*) ;;
    *) file=$PWD/$file ;;
  esac
  folder=${file%/*}
  if [ -L "$file" ]; then give_up "\`$1\` names $2, which is a symbolic link"; fi
  real=$(physical "$folder") || return 0
  if leads_into_checkout "$folder" && ! is_in_checkout "$real"; then
    give_up "\`$1\` names $2, and a symbolic link leads from there out of the checkout"
  fi
}

check() {
  local code=0 answered=no
  choices
  if [ -n "$IN_SARIF" ]; then writable sarif-file "$IN_SARIF"; fi
  if [ -n "$IN_HTML" ]; then writable html-file "$IN_HTML"; fi
  # Not local: the other functions use it.
  folder=$(mktemp -d "$temp/wireproof-report-XXXXXX")
  local sarif=${IN_SARIF:-$folder/report.sarif}
  local options=(--no-progress
    --output "json=$folder/report.json" --output "markdown=$folder/report.md" --output "sarif=$sarif"
    --output "github=$folder/annotations" --output "github-output=$folder/outputs")
  if [ -n "$IN_HTML" ]; then options+=(--output "html=$IN_HTML"); fi
  if [ -n "$IN_AGAINST" ]; then options+=("--against=$IN_AGAINST"); fi
  if [ -n "$IN_MODE" ]; then options+=("--mode=$IN_MODE"); fi
  if [ -n "$IN_CONFIG" ]; then options+=("--config=$IN_CONFIG"); fi
  if [ -n "$IN_FAIL_ON" ]; then options+=("--fail-on=$IN_FAIL_ON"); fi
  if [ -n "$IN_PROFILE" ]; then options+=("--profile=$IN_PROFILE"); fi
  # Words are split at white space and nothing else: no globs, no quotes, no command is run.
  set -f
  # shellcheck disable=SC2206
  local more=($IN_ARGS) paths=($IN_PATHS)
  set +f
  "$IN_PROGRAM" check "${options[@]}" ${more[@]+"${more[@]}"} -- ${paths[@]+"${paths[@]}"} \
    >"$folder/said.txt" 2>"$folder/errors.txt" || code=$?
  quoting cat "$folder/said.txt" "$folder/errors.txt"
  case $code in
    0 | 1 | 2 | 3) if [ -f "$folder/outputs" ]; then answered=yes; fi ;;
  esac
  if [ "$answered" = yes ]; then
    # In a shell of its own, so that nothing in there can change the exit code.
    (tell "$sarif") || annotate warning "Not everything that belongs to the report could be told. The verdict is not affected."
  else
    annotate error "wireproof gave no report (exit code $code).
$(head -c 4000 "$folder/errors.txt")"
  fi
  exit "$code"
}

# Everything that is made of a report. One thing that fails does not keep the others from being told.
tell() {
  local sarif=$1 untold=0
  cat "$folder/outputs" >>"$GITHUB_OUTPUT" || untold=1
  output report-json "$(native "$folder/report.json")" || untold=1
  output report-markdown "$(native "$folder/report.md")" || untold=1
  output sarif-file "$(native "$sarif")" || untold=1
  if [ -n "$IN_HTML" ]; then output html-file "$(native "$IN_HTML")" || untold=1; fi
  if [ "$IN_ANNOTATIONS" = true ]; then cat "$folder/annotations" || untold=1; fi
  summarize "$folder/report.md" || untold=1
  return "$untold"
}

# ---------------------------------------------------------------------------------------------------------- comment

# The comment is a courtesy: whatever becomes of it, the verdict stands. So this never fails.
comment() {
  local options=("--when=$IN_COMMENT") said code=0 folder url
  case ${GITHUB_EVENT_NAME:-} in
    pull_request | pull_request_target) ;;
    *)
      echo "No comment: the event ${GITHUB_EVENT_NAME:-(none)} is about no pull request."
      return 0
      ;;
  esac
  folder=$(mktemp -d "$temp/wireproof-comment-XXXXXX") && cd "$folder" || return 1
  if [ "$IN_REVIEW" = true ]; then options+=(--review); fi
  if [ -n "$IN_COMMENT_KEY" ]; then options+=("--key=$IN_COMMENT_KEY"); fi
  said=$(GITHUB_TOKEN=$token "$IN_PROGRAM" comment "${options[@]}" -- "$IN_REPORT" 2>"$folder/comment.txt") || code=$?
  if [ -n "$said" ]; then printf '%s\n' "$said"; fi
  if [ "$code" != 0 ]; then
    annotate warning "The comment was not written. The verdict is not affected.
$(head -c 2000 "$folder/comment.txt")"
    return 0
  fi
  url=$(printf '%s\n' "$said" | sed -n 's|^[a-z ]*: \(https\{0,1\}://[^[:space:]]*\)$|\1|p' | tail -n 1)
  if [ -n "$url" ]; then output comment-url "$url"; fi
}

case ${1:-} in
  install) install ;;
  check) check ;;
  # In a shell of its own, so that nothing in there can make the step fail.
  comment) (comment) || annotate warning "The comment was not written. The verdict is not affected." ;;
  *)
    echo "usage: gate.sh install|check|comment" >&2
    exit 2
    ;;
esac
