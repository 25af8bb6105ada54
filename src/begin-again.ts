type Environment = Readonly<Record<string, string | undefined>>

/**
 * What glibc begins with, in bytes. It raises both up to 64 MiB with the first large block that is freed, and then keeps most
 * of what a start needs for a moment. A value in the environment stays.
 */
const allocator = { MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' }

/**
 * Starts this program once more in place of itself, in the same process, with what only its very beginning can take: settings
 * of the allocator and the directory of compiled modules. Otherwise the first modules are compiled without it, and the compiler
 * of TypeScript stays in memory. Returns if that is done already, and where it cannot be done: Node 20, and other systems.
 */
export function beginAgain(env: Environment, compiled: string): void {
  // A process with a channel to its parent, as with `node --watch`, would lose it.
  if (process.platform !== 'linux' || process.execve === undefined || process.channel) return
  if (env.MALLOC_TRIM_THRESHOLD_ !== undefined || env.MALLOC_MMAP_THRESHOLD_ !== undefined) return
  const [, ...args] = process.argv
  // After `--`, Node reads no flag of ours as its own: it has an `--env-file`, too.
  process.execve(process.execPath, [process.execPath, ...process.execArgv, '--', ...args], {
    NODE_COMPILE_CACHE: compiled,
    ...env,
    ...allocator,
  })
}
