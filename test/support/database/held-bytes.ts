import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Those of these byte strings that occur in any file of a folder, as Latin-1. */
export function heldBytes(folder: string, needles: readonly Buffer[]): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  return needles
    .filter((needle) => files.some((file) => file.includes(needle)))
    .map((needle) => needle.toString('latin1'))
}
