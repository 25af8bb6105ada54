import { z } from 'zod'
import { reasonOf } from '../program/reason-of.ts'
import { headersOf, type Service } from '../program/service.ts'
import { linesOf } from './lines.ts'
import { headersOfMessage, type Message, message } from './message.ts'

/** The codes of JSON-RPC for a text that is not JSON, and for an error of the server. */
const codes = { notJson: -32700, server: -32000 } as const

const refusal = z.object({ error: z.string(), detail: z.string(), status: z.number() })
const initialized = z.object({ result: z.object({ protocolVersion: z.string() }) })

export interface Bridge {
  /** Sends a line to the service. Its answers are written when they come, in any order. */
  receive(line: string): void
  /** Resolves when every message has its answer. */
  idle(): Promise<void>
}

/** Carries messages of the Model Context Protocol between lines and `POST /mcp`. */
export function createBridge(service: Service, write: (line: string) => void, warn: (problem: string) => void): Bridge {
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
