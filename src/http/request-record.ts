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
