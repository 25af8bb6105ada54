#!/usr/bin/env -S node --
// The command as it is installed, and `npm start`. After `--`, Node reads no flag of ours as its own: it has an `--env-file`, too.
// Runs on any Node, so that one that is too old gets a sentence instead of a syntax error.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

/** V8's limit of the main thread's young objects, which then take at most 24 MiB. The image has the same. */
const maxYoung = '--max-semi-space-size=8'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`multimodal-retrieval needs Node 20.19 or newer, and this is ${process.version}; install a newer one`)
  process.exitCode = 1
} else {
  if (process.argv[2] === 'serve') returnFreedMemory()
  // Threads that start from now on have less: they do one thing at a time, which leaves few objects behind.
  if (process.execArgv.includes(maxYoung)) setFlagsFromString('--max-semi-space-size=2')
  const installed = new URL('./main.js', import.meta.url)
  await import((existsSync(installed) ? installed : mainOfCheckout()).href)
}

/**
 * What `npm install` compiled, or the sources where one of them is newer. Node would strip their types in each thread, at the
 * first start of a data directory: that takes 50 MiB, and keeps them.
 */
function mainOfCheckout() {
  const [compiled, sources] = [new URL('../../dist/main.js', import.meta.url), new URL('../../src/', import.meta.url)]
  const since = statSync(new URL('./bin.js', compiled), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const files = since === 0 ? [] : readdirSync(sources, { recursive: true })
  const isCurrent = since > 0 && files.every((file) => statSync(join(fileURLToPath(sources), file)).mtimeMs <= since)
  return isCurrent ? compiled : new URL('main.ts', sources)
}

/**
 * Re-executes the process with settings that are read at its start only. glibc's thresholds begin at 128 KiB, and grow to 64 MiB with
 * the first large block that is freed: then it would keep 80 MiB that a start needs for a moment. Its threads would each keep what they
 * free, up to 40 MiB of it by chance: with two arenas they pass it on. V8 would let the young objects of
 * each thread take 48 MiB: with 24 in the main thread and 6 in others, searches and ingest cost as much CPU. And it would let the old ones
 * grow to a multiple before it collects them, and keep their pages: during an ingest that is 100 MiB. The image sets all of it itself.
 * Node 20 and other systems go on without.
 */
function returnFreedMemory() {
  const { env, execArgv, execPath, argv } = process
  // A process with a channel to its parent, as with `node --watch`, would lose it.
  if (process.platform !== 'linux' || process.execve === undefined || process.channel) return
  if (env.MALLOC_TRIM_THRESHOLD_ !== undefined || env.MALLOC_MMAP_THRESHOLD_ !== undefined) return
  const settings = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' }
  // An operator's own flag comes later, and counts, as an own number of arenas does.
  const flags = [maxYoung, '--heap-growing-percent=70', ...execArgv]
  process.execve(execPath, [execPath, ...flags, '--', ...argv.slice(1)], { ...settings, ...env })
}
