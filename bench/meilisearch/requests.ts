/** The traffic of searches. */
export interface Sent {
  requests: number
  queries: number
}

/** Counts this process's requests to `/multi-search`, and the queries in them, from now on. */
export function countRequests(): Sent {
  const sent: Sent = { requests: 0, queries: 0 }
  const send = globalThis.fetch
  globalThis.fetch = (input, init) => {
    if (`${input}`.endsWith('/multi-search') && typeof init?.body === 'string') {
      sent.requests++
      sent.queries += JSON.parse(init.body).queries.length
    }
    return send(input, init)
  }
  return sent
}
