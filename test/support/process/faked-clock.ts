import { existsSync, writeFileSync } from 'node:fs'

/** libfaketime, where Debian's package `faketime` puts it. */
const library = [
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`,
].find((path) => existsSync(path))

export const canFakeClock = library !== undefined

/** A system clock of a process that can be set while it runs. Its monotonic clock stays as it is. */
export interface FakedClock {
  /** For the environment of the process. */
  env: Record<string, string>
  /** Sets it to the true time plus some seconds. */
  jumpTo(seconds: number): void
}

export function createFakedClock(file: string): FakedClock {
  const jumpTo = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  jumpTo(0)
  const env = {
    LD_PRELOAD: library ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  }
  return { env, jumpTo }
}
