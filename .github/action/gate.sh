#!/usr/bin/env bash
# What the steps of action.yml do: `gate.sh install`, then `gate.sh check`.
#
# Inputs arrive as environment variables and are never part of a program. What schemas say is printed only where the
# runner does not look for commands, or by the program, which escapes it.
set -euo pipefail

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

# Where and by which workflow the archive was built, as GitHub attests it. The checksum is verified in any case.
verify_attestation() {
  local archive=$1 url=$2 repository
  repository=$(printf '%s\n' "$url" | sed -n 's|^https://github\.com/\([^/]*/[^/]*\)/releases/.*$|\1|p')
  if [ -z "$repository" ]; then
    echo "The attestation is not verified: the archive is no release on github.com."
  elif ! command -v gh >/dev/null || ! gh attestation --help >/dev/null 2>&1; then
    echo "The attestation is not verified: there is no gh here that can."
  elif [ "${GITHUB_SERVER_URL:-https://github.com}" != https://github.com ] || [ -z "$token" ]; then
    echo "The attestation is not verified: that needs a token for github.com."
  elif ! GH_TOKEN=$token gh attestation verify "$archive" --repo "$repository"; then
    give_up "GitHub does not attest that $url was built by $repository. Nothing of it was run."
  fi
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
  echo "The checksum is the one that this version of the action names."
  verify_attestation "$archive" "$url"
  tar -xzf "$archive" -C "$folder"
  program=$(find "$folder" -type f \( -name wireproof -o -name wireproof.exe \) | head -n 1)
  [ -n "$program" ] || give_up "there is no program in $url"
}

build() {
  command -v cargo >/dev/null ||
    give_up "there is no cargo here to build wireproof with. Install Rust in an earlier step, or wireproof itself and set \`version: path\`"
  echo "::group::Build wireproof from the action's own source"
  cargo install --locked --path "$ACTION_PATH" --root "$1" || give_up "wireproof could not be built; see the log of this step"
  echo "::endgroup::"
  program=$1/bin/wireproof
  if [ -x "$program.exe" ]; then program=$program.exe; fi
}

install() {
  local binaries=$ACTION_PATH/.github/action/binaries.json token=${IN_TOKEN:-} version url='' checksum='' folder program
  unset IN_TOKEN
  version=$(pinned_version)
  case ${IN_VERSION:-} in
    path)
      program=$(command -v wireproof) || give_up "\`version: path\` was asked for, and there is no wireproof on PATH"
      ;;
    source | '' | "$version")
      folder=$(mktemp -d "$temp/wireproof-XXXXXX")
      if [ -n "$version" ] && [ "${IN_VERSION:-}" != source ]; then
        read -r url checksum <<<"$(pinned_binary "$(target)")" || true
        if [ -z "$url" ]; then echo "There is no binary for $(uname -s) on $(uname -m)."; fi
      elif [ -z "$version" ]; then
        echo "There is no release yet that this version of the action could download."
      fi
      if [ -n "$url" ]; then download "$version" "$url" "$checksum" "$folder"; else build "$folder"; fi
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

# The comment is a courtesy: whatever becomes of it, the verdict stands.
comment() {
  local report=$1 token=$2 options=("--when=$IN_COMMENT") said code=0
  case ${GITHUB_EVENT_NAME:-} in
    pull_request | pull_request_target) ;;
    *)
      echo "No comment: the event ${GITHUB_EVENT_NAME:-(none)} is about no pull request."
      return 0
      ;;
  esac
  if [ "$IN_REVIEW" = true ]; then options+=(--review); fi
  if [ -n "$IN_COMMENT_KEY" ]; then options+=("--key=$IN_COMMENT_KEY"); fi
  said=$(GITHUB_TOKEN=$token GH_TOKEN='' "$IN_PROGRAM" comment "${options[@]}" -- "$report" 2>"$folder/comment.txt") || code=$?
  if [ -n "$said" ]; then printf '%s\n' "$said"; fi
  if [ "$code" != 0 ]; then
    annotate warning "The comment was not written. The verdict is not affected.
$(head -c 2000 "$folder/comment.txt")"
    return
  fi
  local url
  url=$(printf '%s\n' "$said" | sed -n 's|^[a-z ]*: \(https\{0,1\}://[^[:space:]]*\)$|\1|p' | tail -n 1)
  if [ -n "$url" ]; then output comment-url "$url"; fi
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

check() {
  # No program that reads schemas sees the token.
  local token=${IN_TOKEN:-} code=0 answered=no
  unset IN_TOKEN
  choices
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
    0 | 1 | 3) if [ -f "$folder/outputs" ]; then answered=yes; fi ;;
  esac
  if [ "$answered" = yes ]; then
    # In a shell of its own, so that nothing in there can change the exit code.
    (tell "$sarif" "$token") || annotate warning "Not everything that belongs to the report could be told. The verdict is not affected."
  else
    annotate error "wireproof gave no report (exit code $code).
$(head -c 4000 "$folder/errors.txt")"
  fi
  exit "$code"
}

# Everything that is made of a report. One thing that fails does not keep the others from being told.
tell() {
  local sarif=$1 token=$2 untold=0
  cat "$folder/outputs" >>"$GITHUB_OUTPUT" || untold=1
  output report-json "$(native "$folder/report.json")" || untold=1
  output report-markdown "$(native "$folder/report.md")" || untold=1
  output sarif-file "$(native "$sarif")" || untold=1
  if [ -n "$IN_HTML" ]; then output html-file "$(native "$IN_HTML")" || untold=1; fi
  if [ "$IN_ANNOTATIONS" = true ]; then cat "$folder/annotations" || untold=1; fi
  summarize "$folder/report.md" || untold=1
  if [ "$IN_COMMENT" != never ]; then comment "$folder/report.json" "$token" || untold=1; fi
  return "$untold"
}

case ${1:-} in
  install) install ;;
  check) check ;;
  *)
    echo "usage: gate.sh install|check" >&2
    exit 2
    ;;
esac
