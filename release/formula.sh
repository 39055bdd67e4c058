#!/usr/bin/env bash
# Prints the formula of a release for a tap of Homebrew.
#
#   release/formula.sh VERSION REPOSITORY_URL SHA256SUMS
#
# It installs the programs of the release, those whose sums are in the file. All four have to be there: a formula that
# serves half of the machines fails on the others only when somebody installs it.
set -euo pipefail

version=$1 repository=$2 sums=$3

archive() {
  local name=wireproof-$1-v$version.tgz sum
  sum=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]${name//./\\.}\$/\1/p" "$sums")
  if [ -z "$sum" ]; then
    echo "there is no $name in $sums" >&2
    return 1
  fi
  printf '      url "%s/releases/download/v%s/%s"\n      sha256 "%s"\n' "$repository" "$version" "$name" "$sum"
}

mac_arm=$(archive aarch64-apple-darwin)
mac_intel=$(archive x86_64-apple-darwin)
linux_arm=$(archive aarch64-unknown-linux-musl)
linux_intel=$(archive x86_64-unknown-linux-musl)

cat <<FORMULA
class Wireproof < Formula
  desc "Tells whether a schema change will break somebody, and proves it with bytes"
  homepage "$repository"
  version "$version"
  license any_of: ["Apache-2.0", "MIT"]

  on_macos do
    on_arm do
$mac_arm
    end
    on_intel do
$mac_intel
    end
  end

  on_linux do
    on_arm do
$linux_arm
    end
    on_intel do
$linux_intel
    end
  end

  def install
    bin.install "wireproof"
    generate_completions_from_executable(bin/"wireproof", "completions")
    (man1/"wireproof.1").write Utils.safe_popen_read(bin/"wireproof", "man")
  end

  test do
    (testpath/"old.proto").write <<~PROTO
      syntax = "proto3";
      message Order { int32 total = 1; }
    PROTO
    (testpath/"new.proto").write <<~PROTO
      syntax = "proto3";
      message Order { string total = 1; }
    PROTO
    system bin/"wireproof", "compare", "old.proto", "old.proto"
    shell_output("#{bin}/wireproof compare old.proto new.proto", 1)
  end
end
FORMULA
