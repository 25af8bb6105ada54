/**
 * REST from TypeScript: ingests two Units, finds one, and shows the format of an error.
 * Settings: SVC_URL, and SVC_TOKEN, the token of a principal with write permission in harbor/general.
 */

const { SVC_URL = 'http://127.0.0.1:8787', SVC_TOKEN = '' } = process.env

interface Failure {
  error: string
  detail: string
  status: number
  required_tier?: string
}

/** A response that is not 2xx. */
class ServiceError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`${failure.status} ${failure.error}: ${failure.detail}`)
    this.failure = failure
  }
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(new URL(path, SVC_URL), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SVC_TOKEN}`,
      'content-type': 'application/json',
      'x-svc-scope': 'harbor/general',
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new ServiceError((await response.json()) as Failure)
  return (await response.json()) as T
}

const units = [
  {
    external_id: 'example-gull',
    text: 'A gull stole the mate’s sandwich.',
    acl_groups: ['*'],
    metadata: { year: 2026 },
  },
  { external_id: 'example-seal', modality: 'caption', text: 'A seal on the slipway.', acl_groups: ['*'] },
]
const { counts } = await post<{ counts: Record<string, number> }>('/v1/ingest', { units })
console.log(`created ${counts.created}`)

const search = { q: 'sandwich thief', top_k: 1, filters: { metadata: { year: { gte: 2026 } } } }
const { hits } = await post<{ hits: { external_id: string; text: string }[] }>('/v1/search', search)
console.log(`${hits[0]?.external_id}: ${hits[0]?.text}`)

try {
  await post('/v1/search', { q: 'gull', top_k: 51 })
} catch (error) {
  if (!(error instanceof ServiceError)) throw error
  console.log(`${error.failure.status} ${error.failure.error}`)
}

// Ids are Unit ids, or the external ids of the caller's own Units.
const ids = units.map(({ external_id }) => external_id)
const { purged } = await post<{ purged: number }>('/v1/units:delete', { ids, hard: true })
console.log(`purged ${purged}`)
