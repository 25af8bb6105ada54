import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { errorTable } from '../../errors.ts'
import type { RequestMeter } from '../../http/request-meter.ts'
import { atMost } from './at-most.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])

const refusals: ReadonlySet<string> = new Set(
  Object.entries(errorTable).flatMap(([code, { status }]) => ([401, 402, 403, 429].includes(status) ? [code] : [])),
)

const methodLabel = (method: string | null) => (method !== null && methods.has(method) ? method : '_OTHER')

/** More than the combinations that the service itself makes. Beyond them a request counts as `unmatched`. */
const maxRoutes = 350

/** Rate, errors and duration of requests. Routes arrive as templates. */
export function createRequestMetrics(registry: Registry): RequestMeter {
  const registers = [registry]
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests, until their answers ended.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    // Few, because each is a series for each route and status.
    buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
    registers,
  })
  // Counted here and told when it is read: a gauge looks up its labels each time.
  const active = new Map<string, number>()
  const change = (verb: string, by: number) => active.set(verb, (active.get(verb) ?? 0) + by)
  new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests whose answers have not ended.',
    labelNames: ['http_request_method'],
    registers,
    collect() {
      for (const [verb, requests] of active) this.set({ http_request_method: verb }, requests)
    },
  })
  let readBuffered = () => 0
  new Gauge({
    name: 'retrieval_http_buffer_bytes',
    help: 'Bytes of bodies that are read or in work, and of answers that have not left.',
    registers,
    collect() {
      this.set(readBuffered())
    },
  })
  const refused = new Counter({
    name: 'retrieval_refusals_total',
    help: 'Requests that were refused, by the code of their error.',
    labelNames: ['code'],
    registers,
  })
  const known = atMost(maxRoutes)
  const count: RequestMeter['broken'] = ({ method, status, ms, route, error }) => {
    const verb = methodLabel(method)
    const code = status === null ? '' : `${status}`
    const isKnown = route !== null && known(`${verb} ${route} ${code}`)
    durations.observe(
      { http_request_method: verb, http_route: isKnown ? route : 'unmatched', http_response_status_code: code },
      ms / 1000,
    )
    if (error !== null && refusals.has(error)) refused.inc({ code: error })
  }
  return {
    buffered: (bytes) => {
      readBuffered = bytes
    },
    started: (method) => change(methodLabel(method), 1),
    ended: (request) => {
      change(methodLabel(request.method), -1)
      count(request)
    },
    broken: count,
  }
}
