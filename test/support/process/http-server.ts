import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type RunningServer, type ServerOptions, startServer } from '../../../src/http/server.ts'
import type { TestApp } from '../boot.ts'

/** A line of the server's log. */
export interface LogLine extends Record<string, unknown> {
  level: 'debug' | 'info' | 'warn' | 'error'
  msg: string
}

export interface LoggedServer extends RunningServer {
  lines: LogLine[]
  /** The log lines of requests, once there are at least `count`; the newest are last. */
  requests(count: number): Promise<LogLine[]>
}

/** A log that keeps its lines. */
export function createLineLog() {
  const lines: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: object, msg: string) => void lines.push({ ...fields, level, msg })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

/** An app on a real port, with the operator's log. */
export async function listen(
  { app }: Pick<TestApp, 'app'>,
  { lines, log } = createLineLog(),
  options: Partial<ServerOptions> = {},
): Promise<LoggedServer> {
  const server = await startServer(app.handler, { host: '127.0.0.1', port: 0, log, drainMs: 100, ...options })
  const requests = async (count: number) => {
    for (let waited = 0; ; waited += 10) {
      const found = lines.filter(({ msg }) => msg === 'request')
      if (found.length >= count || waited > 5_000) return found
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return { ...server, lines, requests }
}

export interface RawAnswer {
  status: number
  headers: Headers
  body: string
}

/** Sends bytes over a socket; returns the reply up to the end of the connection. */
export async function exchange(port: number, bytes: string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  return parse(await text(socket))
}

function parse(answer: string): RawAnswer {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return { status: Number(first.split(' ')[1]), headers: new Headers(pairs), body: rest.join('\r\n\r\n') }
}
