/**
 * Your own vectors from TypeScript, in base64: ingests two Units, finds the nearer one, and deletes both.
 * Settings: SVC_URL, and SVC_TOKEN, the token of a principal with write permission in harbor/general.
 */

const { SVC_URL = 'http://127.0.0.1:8787', SVC_TOKEN = '' } = process.env

async function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${SVC_TOKEN}`, 'x-svc-scope': 'harbor/general' }
  const response = await fetch(new URL(path, SVC_URL), { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as T
}

/** Stands for your model. All vectors of a plane have one length. */
const embed = (angle: number): number[] => [Math.cos(angle), Math.sin(angle)]

/** Little-endian float32 values, the byte order of every platform that Node supports. */
const toBase64 = (vector: readonly number[]): string => Buffer.from(Float32Array.from(vector).buffer).toString('base64')

const units = [
  { external_id: 'example-buoy', modality: 'image', vector: toBase64(embed(0.1)), text: 'buoy', acl_groups: ['*'] },
  { external_id: 'example-crane', modality: 'image', vector: toBase64(embed(1.4)), text: 'crane', acl_groups: ['*'] },
]
await post('/v1/ingest', { units })

const query = { q: '', top_k: 1, vector: { visual: toBase64(embed(1.5)) } }
const { hits } = await post<{ hits: { external_id: string }[] }>('/v1/search', query)
console.log(`nearest: ${hits[0]?.external_id}`)

await post('/v1/units:delete', { ids: units.map(({ external_id }) => external_id), hard: true })
