import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { docIdOf, type Root } from './files/roots.ts'
import type { Document } from './service/documents.ts'

/** Documents below a folder whose file is not on disk: neither that, nor anything else, may be in its place. */
export async function missingFrom(
  root: Root,
  documents: Iterable<Document>,
): Promise<{ file: string; document: Document }[]> {
  const missing: { file: string; document: Document }[] = []
  for (const document of documents) {
    const file = fileOf(document)
    if (document.parent !== null || file === null || !file.startsWith(`${root.base}/`)) continue
    const below = file.slice(root.base.length + 1)
    if (below.split('/').some((name) => name === '' || name === '.' || name === '..')) continue
    if (await isGone(join(root.path, below))) missing.push({ file, document })
  }
  return missing
}

/** Null where only the hash of the path is known. */
function fileOf({ docId, name }: Document): string | null {
  if (!docId.startsWith('sha256:')) return docId
  return docIdOf(name) === docId ? name : null
}

async function isGone(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    // Anything else, such as a folder that can't be read, says nothing about the file.
    return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  }
}
