import { makePdf } from '../../test/support/documents/make-pdf.ts'
import { graphqlOf, ingestDocument, uploadUrl } from '../support/graphql.ts'
import { call } from '../support/service.ts'

const batch = 500
const scope = 'acme'

/** Begins the names of all documents of the list, and of nothing else. */
export const listPrefix = 'logbook-'
/** The `doc_id` of the PDF. */
export const pdfName = 'manual.pdf'

/** Documents of one short Unit each. */
export async function addDocuments(origin: string, token: string, documents: number): Promise<void> {
  for (let from = 0; from < documents; from += batch) {
    const units = Array.from({ length: Math.min(batch, documents - from) }, (_, i) => ({
      text: `Entry ${from + i} of the logbook: wind, tide and the ferry at the pier.`,
      doc_id: `${listPrefix}${String(from + i).padStart(6, '0')}`,
      scope,
    }))
    await call(origin, '/v1/ingest', { units }, token)
  }
}

/** A PDF with a full page of text on each page, uploaded as the console does. Resolves to the number of its Units. */
export async function addPdf(origin: string, token: string, pages: number): Promise<number> {
  const bytes = makePdf(Array.from({ length: pages }, (_, page) => ({ lines: linesOf(page + 1) })))
  const ask = graphqlOf(origin, token)
  const link = await uploadUrl(ask, origin, bytes.length, pdfName)
  const sent = await fetch(link, { method: 'PUT', body: new Uint8Array(bytes) })
  const answer = (await sent.json()) as { source_uri?: string }
  if (!sent.ok) throw new Error(`the upload answered ${sent.status}: ${JSON.stringify(answer)}`)
  return ingestDocument(ask, { sourceUri: answer.source_uri, name: pdfName, docId: pdfName, scope })
}

const linesOf = (page: number) =>
  Array.from({ length: 48 }, (_, line) => ({
    x: 50,
    y: 750 - line * 14,
    text: `Page ${page}, line ${line + 1}: the pump of section ${(page * 48 + line) % 97} is checked before it is started again.`,
  }))
