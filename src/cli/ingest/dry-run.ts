import { digestOf } from './files/read-file.ts'
import { docIdOf } from './files/roots.ts'
import type { Found } from './files/walk.ts'
import type { Options } from './options.ts'
import type { Preview } from './report/counts.ts'
import type { Document } from './service/documents.ts'
import { isFoundAs } from './take-file.ts'

/** A picture or recording may be `changed` by the text beside it: only the service knows that text. */
export async function preview(options: Options, known: ReadonlyMap<string, Document>, found: Found): Promise<Preview> {
  const { file, path, kind } = found
  if (kind === 'unreadable') return { status: 'failed', file, reason: kind }
  if (kind !== 'file') return { status: 'skipped', file, reason: kind }
  const digest = await digestOf(path).catch(() => null)
  if (digest === null) return { status: 'failed', file, reason: 'unreadable' }
  if (digest.bytes === 0) return { status: 'skipped', file, reason: 'empty' }
  const document = known.get(docIdOf(file))
  if (!document) return { status: 'new', file }
  return { status: !options.force && isFoundAs(options, found, document, digest) ? 'unchanged' : 'changed', file }
}
