import { randomUUID } from 'node:crypto'
import type { Log } from '../model/log.ts'
import type { RequestNotes } from '../model/request.ts'
import type { RequestRoom } from './buffers.ts'

/** Facts about a request for its line in the log. Each layer fills in what it learns. */
export interface RequestRecord extends RequestNotes {
  requestId: string | null
  /** A template such as `/v1/units/{id}`, never the path itself: paths of links contain secrets. */
  route: string | null
  /** The memory that its body and answer take. Only a request over a socket has one. */
  room?: RequestRoom
}

export const newRecord = (): RequestRecord => ({
  requestId: null,
  traceId: null,
  route: null,
  principalId: null,
  namespace: null,
  fields: null,
  error: null,
  headers: {},
  plain: false,
})

/** What a line of the log says of a request, to find its other lines and its trace. */
export const idsOf = ({ requestId, traceId }: Pick<RequestRecord, 'requestId' | 'traceId'>) => ({
  request_id: requestId,
  ...(traceId === null ? {} : { trace_id: traceId }),
})

const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's `X-Request-Id` if it is valid, else a new one. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string {
  const sent = headers['x-request-id']
  return sent !== undefined && sane.test(sent) ? sent : randomUUID()
}

interface Ended {
  /** Null when the head could not be read. */
  method: string | null
  /** Null when the client left before an answer began. */
  status: number | null
  ms: number
  record: RequestRecord
  aborted: boolean
}

/** Orchestrators call these every few seconds. */
const probes = ['/livez', '/readyz']

/** One line for a finished request. It contains no text of the caller, except a valid request id. */
export function logRequest(log: Log, { method, status, ms, record, aborted }: Ended): void {
  const { route, principalId, namespace, fields, error } = record
  const line = {
    ...idsOf(record),
    method,
    route,
    status,
    ms: Math.round(ms * 1000) / 1000,
    principal_id: principalId,
    namespace,
    ...(fields === null ? {} : { fields }),
    ...(error === null ? {} : { error }),
    ...(aborted ? { aborted } : {}),
  }
  if (route !== null && probes.includes(route)) log.debug?.(line, 'request')
  else log.info(line, 'request')
}
