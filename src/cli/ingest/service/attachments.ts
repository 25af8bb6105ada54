import type { Client } from './client.ts'
import { type Document, isComing, listDocuments, retryDocuments } from './documents.ts'
import { createWait } from './wait.ts'

const maxPrefix = 128
/** The service gives longer docIds this form. */
const hashed = 'sha256:'

/** Documents that a document holds, at any depth. */
export function within(parent: Document, documents: readonly Document[]): Document[] {
  const ids = new Set([parent.documentId])
  const found: Document[] = []
  for (let before = -1; before < found.length; ) {
    before = found.length
    for (const one of documents) {
      if (one.parent === null || !ids.has(one.parent) || ids.has(one.documentId)) continue
      ids.add(one.documentId)
      found.push(one)
    }
  }
  return found
}

/** A file's attachments when all their runs have ended. */
export async function settledAttachments(client: Client, parent: Document): Promise<Document[]> {
  const prefix = `${parent.docId}#`
  const wait = createWait(client)
  for (;;) {
    const listed = prefix.length > maxPrefix ? [] : await listDocuments(client, parent.scope, prefix)
    // Where the parent's own docId is long, those of its attachments may be hashes.
    if (prefix.length > maxPrefix / 2) listed.push(...(await listDocuments(client, parent.scope, hashed)))
    const found = within(parent, listed)
    const coming = found.filter(isComing)
    if (coming.length === 0) return found
    await wait(coming)
  }
}

/** What a second try can't change. */
export const isSkipped = ({ status, reason }: Pick<Document, 'status' | 'reason'>): boolean =>
  status === 'failed' && (reason === 'unsupported' || reason === 'empty')

/** Tries attachments again that have failed. */
export async function retryAttachments(client: Client, attachments: readonly Document[]): Promise<void> {
  await retryDocuments(
    client,
    attachments.filter((one) => one.status === 'failed' && !isSkipped(one)),
  )
}
