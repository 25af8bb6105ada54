import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './service.ts'

/** Sends an operation; throws if the answer has errors. */
// biome-ignore lint/suspicious/noExplicitAny: read where it is used
export type Ask = (query: string, variables: object) => Promise<any>

export function graphqlOf(origin: string, token: string): Ask {
  return async (query, variables) => {
    const { data, errors } = (await call(origin, '/graphql', { query, variables }, token)) as {
      data: unknown
      errors?: unknown
    }
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
}

/** A link that takes a source by PUT. */
export async function uploadUrl(ask: Ask, origin: string, bytes: number, name: string): Promise<URL> {
  const { createUpload } = await ask(
    'mutation ($bytes: SafeInt!, $name: String!) { createUpload(input: {bytes: $bytes, name: $name}) { url } }',
    { bytes, name },
  )
  return new URL(createUpload.url, origin)
}

/** Makes an uploaded source a document, and resolves to the number of its Units once they are in. */
export async function ingestDocument(ask: Ask, input: object): Promise<number> {
  const { ingestDocument: started } = await ask(
    'mutation ($input: IngestDocumentInput!) { ingestDocument(input: $input) { documentId } }',
    { input },
  )
  for (;;) {
    const { document } = await ask('query ($id: String!) { document(documentId: $id) { status detail units } }', {
      id: started.documentId,
    })
    if (document.status === 'failed') throw new Error(document.detail)
    if (document.status === 'ready') return document.units
    await sleep(250)
  }
}
