import type { Log } from '../model/log.ts'
import { idsOf, type RequestRecord } from './request-record.ts'

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
