import { readFileSync } from 'node:fs'

/** As in package.json: the one place where it is written. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
