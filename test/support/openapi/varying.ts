/** Fields that differ from run to run or from catalog to catalog, whatever is in them. */
const ofRun = new Set(['catalog', 'version', 'took_ms', 'latency_ms', 'note', 'verifier_key'])

/** Ids, keys, digests, signatures, moments and addresses: what is in them differs, their form does not. */
const forms: readonly (readonly [form: string, pattern: RegExp])[] = [
  ['uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ['digest', /^[0-9a-f]{64}$/],
  ['secret', /^svc_[a-z]+_/],
  ['id', /^[a-z]+_[A-Za-z0-9]{16,}$/],
  ['base64', /^[A-Za-z0-9+/]{43}=$/],
  ['date', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/],
  ['address', /^https?:\/\//],
]

/** An answer without what differs from run to run: two runs of the same requests give the same. */
export function withoutVarying(value: unknown, name = ''): unknown {
  if (ofRun.has(name)) return typeof value
  if (Array.isArray(value)) return value.map((one) => withoutVarying(one))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutVarying(inner, key)]))
  }
  if (typeof value === 'number') return value > 1_500_000_000 ? 'moment' : value
  if (typeof value !== 'string') return value
  return forms.find(([, pattern]) => pattern.test(value))?.[0] ?? value
}

/** Answers as a document may show them: without keys, and without the address of the provider of the test. */
export function withoutSecrets(answers: unknown, provider: string): unknown {
  const text = JSON.stringify(answers)
    .replaceAll(/"(svc_[a-z]+_)[^"]+"/g, '"$1…"')
    .replaceAll(provider, 'https://payments.example')
  return JSON.parse(text)
}
