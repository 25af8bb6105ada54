import { stripVTControlCharacters } from 'node:util'

/**
 * The test files that failed in a run of Vitest, by its output. Null if something else failed too, such as an error
 * outside of a test: then no single file can be blamed.
 */
export function failedFiles(output: string): string[] | null {
  const text = stripVTControlCharacters(output)
  if (/Vitest caught \d+ unhandled error/.test(text)) return null
  const files = new Set([...text.matchAll(/^ *FAIL +(\S+\.test\.ts)/gm)].map(([, file]) => file as string))
  return files.size === 0 ? null : [...files]
}
