import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** What the address of a local socket may take, in bytes: `sun_path` of unix(7), less on other systems. */
const maxPath = 100

/**
 * The socket at which a running service takes requests of its operator: a file in its data directory, for its owner
 * alone. A path that is too long for a socket is reached through a link, which `forget` removes.
 */
export function controlSocket(dataDir: string): { file: string; address: string; forget(): void } {
  const file = join(resolve(dataDir), 'control.sock')
  if (Buffer.byteLength(file) <= maxPath) return { file, address: file, forget: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'mr-'))
  symlinkSync(resolve(dataDir), join(folder, 'd'))
  const forget = () => rmSync(folder, { recursive: true, force: true })
  return { file, address: join(folder, 'd', 'control.sock'), forget }
}
