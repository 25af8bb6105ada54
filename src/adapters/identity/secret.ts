import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { makeFolder } from '../resilience/folders.ts'

/** Random bytes in a generated secret. */
const strength = 32

/** The secret of this name: read from `directory`, or made there (0600) if it does not exist yet. */
export async function keptSecret(directory: string, name: string): Promise<string> {
  const file = join(directory, name)
  const kept = await read(file)
  if (kept !== null) return kept
  makeFolder(directory)
  const draft = join(directory, `${name}-${randomBytes(8).toString('hex')}.tmp`)
  try {
    const handle = await open(draft, 'wx', 0o600)
    await handle.writeFile(`${randomBytes(strength).toString('base64url')}\n`)
    await handle.sync()
    await handle.close()
    // Unlike a rename, a link never replaces a file that another process made meanwhile.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  const made = await read(file)
  if (made === null) throw new Error(`${file} is gone`)
  return made
}

async function read(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  // A truncated secret would still sign, but with a key that can be guessed.
  if (text.trim().length < strength) throw new OperatorError(`${file} is damaged: remove it to have another one made`)
  return text.trim()
}
