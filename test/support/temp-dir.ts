import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder, and a function that removes it. */
export function tempDir(label: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `${label}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
