#!/usr/bin/env node
// Starts the program of this platform, which is a package of its own. Nothing is downloaded when it is installed or run.
"use strict";

const { spawnSync } = require("node:child_process");
const os = require("node:os");

const name = `wireproof-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "wireproof.exe" : "wireproof";

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `error: the package ${name} is not installed\n` +
      "  help either there is no build for this platform (cargo install --locked wireproof builds it),\n" +
      "       or optional dependencies were left out: install again without --omit=optional",
  );
  process.exit(3);
}

const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
if (error) {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  process.exit(3);
}
process.exit(status ?? 128 + (os.constants.signals[signal] ?? 0));
