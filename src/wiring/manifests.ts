import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { OperatorError } from '../model/operator-error.ts'

/** Written by the build of the console. */
const consoleManifest = fileURLToPath(new URL('../../console/dist/persisted-documents.json', import.meta.url))

const manifest = z.record(z.string(), z.string())

/**
 * Texts of persisted documents by the hex of their SHA-256: those of the console, if it is built, and of `files`.
 * Throws an OperatorError for a file that cannot be read, or with a text that does not fit its hash.
 */
export async function readManifests(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const file of existsSync(consoleManifest) ? [consoleManifest, ...files] : files) {
    for (const [hash, text] of Object.entries(await readManifest(file))) {
      const expected = createHash('sha256').update(text).digest('hex')
      if (hash !== expected) {
        throw new OperatorError(
          `the manifest ${file} has a document under ${hash}, but the SHA-256 of its text is ${expected}; build the manifest again`,
        )
      }
      texts.set(hash, text)
    }
  }
  return texts
}

async function readManifest(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`the manifest ${file} cannot be read (${error.code}); correct GRAPHQL_MANIFESTS`)
  })
  try {
    return manifest.parse(JSON.parse(text))
  } catch {
    throw new OperatorError(
      `the manifest ${file} is not a JSON object from the hex SHA-256 of documents to their texts; build the manifest again`,
    )
  }
}
