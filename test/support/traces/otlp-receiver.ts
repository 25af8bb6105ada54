import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  /** Empty for a root. */
  parentSpanId: string
  name: string
  /** 1 internal, 2 server, 3 client. */
  kind: number
  attributes: Readonly<Record<string, string | number>>
  /** 2 is an error. */
  status: number
}

interface OtlpValue {
  stringValue?: string
  intValue?: number | string
  doubleValue?: number
}
type OtlpAttributes = { key: string; value: OtlpValue }[]
interface OtlpBody {
  resourceSpans: {
    resource: { attributes: OtlpAttributes }
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes' | 'status'> & {
        attributes: OtlpAttributes
        status?: { code?: number }
        events?: unknown[]
      })[]
    }[]
  }[]
}

const attributesOf = (list: OtlpAttributes) =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)] as const),
  )

/** Takes spans as OTLP in JSON, as a collector does. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const raw: string[] = []
  const resources: Readonly<Record<string, string | number>>[] = []
  const headers: Readonly<Record<string, unknown>>[] = []
  const server = createServer(async (incoming, outgoing) => {
    headers.push({ ...incoming.headers, path: incoming.url })
    const body = (await json(incoming)) as OtlpBody
    raw.push(JSON.stringify(body))
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(attributesOf(resource.attributes))
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const { traceId, spanId, parentSpanId = '', name, kind, attributes, status } = span
        spans.push({
          traceId,
          spanId,
          parentSpanId,
          name,
          kind,
          attributes: attributesOf(attributes),
          status: status?.code ?? 0,
        })
      }
    }
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    headers,
    /** Everything that was received, as text. */
    text: () => raw.join('\n'),
    /** The first span with this name, of this trace if one is given, once it is there. */
    find: async (name: string, traceId?: string): Promise<ReceivedSpan> => {
      for (let waited = 0; waited < 20_000; waited += 20) {
        const found = spans.find((span) => span.name === name && (traceId ?? span.traceId) === span.traceId)
        if (found) return found
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`no span ${name} among ${[...new Set(spans.map((span) => span.name))].join(', ')}`)
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
