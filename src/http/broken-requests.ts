import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { badRequest, ServiceError } from '../errors.ts'
import { errorBody, json } from './json.ts'

export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser was reading. */
  rawPacket?: Buffer
}

/** The error when the parser fails on a connection, or its request times out. */
export function parserFailure({ code, rawPacket }: ParserError): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'the request took too long to arrive: send it again')
  }
  if (code !== 'HPE_HEADER_OVERFLOW') return badRequest('the request must be well-formed HTTP')
  return isWithinTarget(rawPacket)
    ? new ServiceError('uri_too_long', 'the request target must be at most 8 KiB')
    : new ServiceError('headers_too_large', 'the headers must be at most 16 KiB')
}

/** True while the first line has not ended. */
const isWithinTarget = (packet: Buffer | undefined) => /^[A-Z]+ [^\r\n]*$/.test(packet?.toString('latin1') ?? '')

/** How long a client may continue to send after it was refused. */
const lingerMs = 2_000

/** Answers on a socket that has no request: in the one error shape, with an id. Then the connection ends. */
export function endWith(socket: Duplex, failure: ServiceError): { requestId: string } {
  const requestId = randomUUID()
  const { status, headers, body } = json(failure.status, errorBody(failure))
  const lines = Object.entries({
    ...headers,
    'x-request-id': requestId,
    connection: 'close',
    'content-length': `${Buffer.byteLength(`${body}`)}`,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  setTimeout(() => socket.destroy(), lingerMs).unref()
  return { requestId }
}
