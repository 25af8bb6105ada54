#!/usr/bin/env -S node --
// After `--`, Node reads no flag of ours as its own: it has an `--env-file`, too.
// Runs on any Node, so that one that is too old gets a sentence instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`multimodal-retrieval needs Node 20.19 or newer, and this is ${process.version}; install a newer one`)
  process.exitCode = 1
} else {
  await import(new URL('./main.js', import.meta.url).href)
}
