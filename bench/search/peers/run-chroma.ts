/** Runs Chroma's command line with an older binding, for systems whose C library is too old for the newest one. */
import { createRequire } from 'node:module'

const binding = createRequire(import.meta.url)('chroma-for-older-glibc') as { cli(args: string[]): void }
binding.cli(['chroma', ...process.argv.slice(2)])
