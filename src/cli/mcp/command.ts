import { z } from 'zod'
import { type Command, type Environment, flag, readFlags, reasonOf, UsageError } from '../program/command.ts'
import { headersOf, readService, type Service, serviceFlags } from '../program/service.ts'

async function main(args: readonly string[], env: Environment): Promise<number> {
  const values = readFlags(args, { ...serviceFlags, stdio: flag })
  if (!values.stdio) throw new UsageError('--stdio is needed: it is the only transport; try --help')
  const bridge = createBridge(
    await readService(values, env),
    (line) => process.stdout.write(`${line}\n`),
    (problem) => console.error(`mcp: ${problem}`),
  )
  for await (const line of linesOf(process.stdin)) bridge.receive(line)
  await bridge.idle()
  return 0
}

export const command: Command = { name: 'mcp', run: main, codeOf: () => 2 }

/** The codes of JSON-RPC for a text that is not JSON, and for an error of the server. */
const codes = { notJson: -32700, server: -32000 } as const

const refusal = z.object({ error: z.string(), detail: z.string(), status: z.number() })
const initialized = z.object({ result: z.object({ protocolVersion: z.string() }) })

interface Bridge {
  /** Sends a line to the service. Its answers are written when they come, in any order. */
  receive(line: string): void
  /** Resolves when every message has its answer. */
  idle(): Promise<void>
}

/** Carries messages of the Model Context Protocol between lines and `POST /mcp`. */
function createBridge(service: Service, write: (line: string) => void, warn: (problem: string) => void): Bridge {
  const address = new URL('/mcp', service.url)
  const running = new Map<Message['id'], AbortController>()
  const pending = new Set<Promise<void>>()
  /** What `initialize` agreed on; a client of a later revision names it in each message. */
  let agreed: string | undefined

  const answer = (body: unknown) => write(JSON.stringify(body))
  const fail = (id: Message['id'], reason: string, data?: unknown, code: number = codes.server) => {
    warn(reason)
    if (id !== undefined)
      answer({ jsonrpc: '2.0', id, error: { code, message: reason, ...(data !== undefined && { data }) } })
  }

  const send = async (sent: Message, line: string, signal: AbortSignal) => {
    const headers = { ...headersOf(service), ...headersOfMessage(sent, agreed) }
    const response = await fetch(address, { method: 'POST', headers, body: line, signal })
    if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
      for await (const event of linesOf(response.body))
        if (event.startsWith('data:')) answer(JSON.parse(event.slice(5)))
      return
    }
    const text = await response.text()
    if (text === '') return
    const body: unknown = JSON.parse(text)
    const refused = refusal.safeParse(body).data
    if (refused) return fail(sent.id, refused.detail, refused)
    if (sent.method === 'initialize') agreed = initialized.safeParse(body).data?.result.protocolVersion
    answer(body)
  }

  const carry = async (sent: Message, line: string) => {
    const stop = new AbortController()
    running.set(sent.id, stop)
    try {
      await send(sent, line, stop.signal)
    } catch (error) {
      // The client expects no answer to what it has cancelled.
      if (!stop.signal.aborted) fail(sent.id, `no answer from ${service.url}: ${reasonOf(error)}`)
    } finally {
      running.delete(sent.id)
    }
  }

  return {
    receive: (line) => {
      if (line.trim() === '') return
      const read = message.safeParse(parse(line)).data
      if (read === undefined) return fail(null, 'a line is not a message of JSON-RPC', undefined, codes.notJson)
      // Over HTTP a request is cancelled by ending it.
      if (read.method === 'notifications/cancelled') return running.get(read.params?.requestId)?.abort()
      const done = carry(read, line).finally(() => pending.delete(done))
      pending.add(done)
    },
    idle: async () => {
      await Promise.all(pending)
    },
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const id = z.union([z.string(), z.number(), z.null()])
const version = 'io.modelcontextprotocol/protocolVersion'

/** The parts of a JSON-RPC message that the headers of its request repeat. */
const message = z.object({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.unknown().optional(),
      uri: z.unknown().optional(),
      requestId: id.optional(),
      _meta: z.looseObject({ [version]: z.unknown().optional() }).optional(),
    })
    .optional(),
})
type Message = z.output<typeof message>

/**
 * The headers of the protocol. From revision 2026-07-28 a message names its revision, and the headers repeat its method
 * and what it asks for. Earlier ones have the revision that `initialize` agreed on.
 */
function headersOfMessage({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const named = params?._meta?.[version]
  if (typeof named !== 'string' || method === undefined) {
    return { ...common, ...(agreed !== undefined && { 'mcp-protocol-version': agreed }) }
  }
  const name = method === 'resources/read' ? params?.uri : params?.name
  return {
    ...common,
    'mcp-protocol-version': named,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
}

/** A value that a header cannot hold is sent as base64 of UTF-8, marked as the protocol says. */
function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

/** The lines of a stream of UTF-8, without their ends. Only a line feed ends one: JSON may contain other separators. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    for (const next of rest) {
      yield parts.join('').replace(/\r$/, '')
      parts = [next]
    }
  }
  const last = parts.join('')
  if (last !== '') yield last
}
