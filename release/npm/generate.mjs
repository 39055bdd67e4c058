// Makes the npm packages of a release: one with the launcher, and one for each platform with its program.
//
//   node release/npm/generate.mjs VERSION REPOSITORY_URL PROGRAMS OUT [--partial]
//
// PROGRAMS holds one folder for each target, with the program in it. REPOSITORY_URL may be empty. A target that is not
// there is an error: half a release would leave people without a program. With --partial, which is for trying, the
// packages are made for those that are there.
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// The builds for Linux are linked statically and serve every C library.
const PLATFORMS = [
  { target: "x86_64-unknown-linux-musl", os: "linux", cpu: "x64" },
  { target: "aarch64-unknown-linux-musl", os: "linux", cpu: "arm64" },
  { target: "x86_64-apple-darwin", os: "darwin", cpu: "x64" },
  { target: "aarch64-apple-darwin", os: "darwin", cpu: "arm64" },
  { target: "x86_64-pc-windows-msvc", os: "win32", cpu: "x64" },
];

const [version, repository, programs, out, partial] = process.argv.slice(2);
if (!version || repository === undefined || !programs || !out || ![undefined, "--partial"].includes(partial)) {
  console.error("usage: node generate.mjs VERSION REPOSITORY_URL PROGRAMS OUT [--partial]");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");

const shared = {
  version,
  license: "MIT OR Apache-2.0",
  ...(repository ? { repository: { type: "git", url: `git+${repository}.git` } } : {}),
};

function write(name, description, more) {
  const folder = join(out, name);
  mkdirSync(join(folder, "bin"), { recursive: true });
  const content = { name, description, ...shared, ...more };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
  for (const file of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(root, file), join(folder, file));
  return folder;
}

const optionalDependencies = {};
for (const { target, os, cpu } of PLATFORMS) {
  const file = os === "win32" ? "wireproof.exe" : "wireproof";
  const program = join(programs, target, file);
  if (!existsSync(program)) {
    if (partial) continue;
    console.error(`there is no ${program}`);
    process.exit(1);
  }
  const name = `wireproof-${os}-${cpu}`;
  const folder = write(name, `wireproof for ${os} on ${cpu}`, { os: [os], cpu: [cpu], preferUnplugged: true });
  copyFileSync(program, join(folder, "bin", file));
  chmodSync(join(folder, "bin", file), 0o755);
  optionalDependencies[name] = version;
}

const description =
  "Tells a team, before they merge, whether a schema change will break somebody, and proves it with bytes.";
const main = write("wireproof", description, {
  bin: { wireproof: "bin/wireproof.js" },
  engines: { node: ">=16" },
  optionalDependencies,
});
copyFileSync(join(here, "launcher.js"), join(main, "bin", "wireproof.js"));
chmodSync(join(main, "bin", "wireproof.js"), 0o755);
copyFileSync(join(root, "README.md"), join(main, "README.md"));
