import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { request } from 'node:http'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { graphqlOf, ingestDocument, uploadUrl } from '../support/graphql.ts'
import { forgetPeak, peakMemory } from '../support/memory.ts'
import { call, startService, stopService } from '../support/service.ts'

/** What it took to send a file, to make it a document, and to serve it again. */
export interface Passage {
  /** In seconds. */
  sent: number
  parsed: number
  served: number
  units: number
  /** The peak of the service's resident memory above that of the idle service, in bytes. Its parser is another process. */
  growth: number
}

/** Each file through a service of its own, in a folder below `folder`. */
export async function passOverHttp(folder: string, path: string): Promise<Passage> {
  const service = await startService(join(folder, `service-${basename(path)}`))
  try {
    const { tokens } = (await call(service.url, '/v1/admin/seed', {})) as { tokens: { enterprise: string } }
    const ask = graphqlOf(service.url, tokens.enterprise)
    const { size: bytes } = await stat(path)
    const name = basename(path)
    await sleep(2000)
    forgetPeak(service.pid)
    const idle = peakMemory(service.pid)

    const link = await uploadUrl(ask, service.url, bytes, name)
    const sending = performance.now()
    const { source_uri: sourceUri } = JSON.parse(await put(link, path, bytes))
    const sent = secondsSince(sending)

    const parsing = performance.now()
    const units = await ingestDocument(ask, { sourceUri, name, scope: 'acme', docId: name })
    const parsed = secondsSince(parsing)

    const { units: listed } = await ask(
      'query ($filters: SearchFiltersInput) { units(filters: $filters) { units { unitId } } }',
      {
        filters: { docId: [name] },
      },
    )
    const { sourceLink } = await ask('query ($id: String!) { sourceLink(unitId: $id) { url } }', {
      id: listed.units[0].unitId,
    })
    const serving = performance.now()
    await read(new URL(sourceLink.url, service.url), bytes)
    return { sent, parsed, served: secondsSince(serving), units, growth: peakMemory(service.pid) - idle }
  } finally {
    await stopService(service)
  }
}

const secondsSince = (start: number) => (performance.now() - start) / 1000

async function put(url: URL, path: string, bytes: number): Promise<string> {
  const sending = request(url, { method: 'PUT', headers: { 'content-length': bytes } })
  createReadStream(path).pipe(sending)
  const [response] = await once(sending, 'response')
  let text = ''
  for await (const part of response) text += part
  if (response.statusCode !== 200 && response.statusCode !== 201) throw new Error(`the upload was refused: ${text}`)
  return text
}

async function read(url: URL, bytes: number): Promise<void> {
  const response = await fetch(url)
  let got = 0
  for await (const part of response.body ?? []) got += part.length
  if (got !== bytes) throw new Error(`${url.pathname}: ${got} of ${bytes} bytes were served`)
}
