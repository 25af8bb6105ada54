import { readFileSync } from 'node:fs'

/** The version from package.json, the only place where it is written. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
