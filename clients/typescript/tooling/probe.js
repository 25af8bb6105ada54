import {
  createClient,
  NotFound,
  verifyCitation,
  verifyConsistency,
  verifyExport,
  verifyInclusion,
} from '../dist/index.js'

/** What the client does in any runtime, against a service with an empty namespace. Returns what came of it. */
export async function probe({ baseUrl, token, scope }) {
  const client = createClient({ baseUrl, token, scope })
  const units = ['The lighthouse keeper lights the lamp at dusk.', 'Ferries leave the harbour twice a day.']
  const { counts } = await client.units.ingest(units.map((text) => ({ text, modality: 'text' })))
  const old = await client.audit.checkpoint()
  const listed = []
  for await (const { text } of client.units.list({ limit: 1 })) listed.push(text)

  const { answer } = await client.answer({ q: 'who lights the lamp?' })
  const [citation] = answer.citations
  const unit = await client.units.get(citation.unit_id)
  const forged = { ...citation, quote: 'The keeper sleeps.' }

  const sent = []
  const source = await client.sources.upload(new TextEncoder().encode('a page of the log'), {
    mime: 'text/plain',
    onProgress: (progress) => sent.push(progress.sent / progress.total),
  })

  const { rows } = await client.audit.page({ limit: 50 })
  const now = await client.audit.checkpoint()
  const verifierKey = now.verifier_key
  const row = rows.find(({ seq }) => seq < now.size)
  const lines = []
  for await (const line of client.audit.export()) lines.push(line)

  const aborted = new AbortController()
  aborted.abort(new Error('enough'))
  const reasonOf = (promise) =>
    promise.then(
      () => 'none',
      ({ message }) => message,
    )
  return {
    created: counts.created,
    listed,
    cited: [await verifyCitation(citation, unit), await verifyCitation(forged, unit)].map(({ ok }) => ok),
    uploaded: [source.bytes, sent.at(-1)],
    included: (await verifyInclusion({ row, proof: await client.audit.proof({ seq: row.seq }), verifierKey })).ok,
    consistent: (
      await verifyConsistency({ checkpoint: old, proof: await client.audit.proof({ from: old.size }), verifierKey })
    ).ok,
    exported: (await verifyExport(lines, { checkpoint: now, verifierKey })).ok,
    missing: await client.units.get('unit_unknown').catch((error) => error instanceof NotFound && error.status),
    aborted: await reasonOf(client.context({ signal: aborted.signal })),
    unreachable: await createClient({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
      .health()
      .catch(({ name }) => name),
  }
}
