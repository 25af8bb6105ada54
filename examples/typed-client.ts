/**
 * The typed client: asks a question, checks each citation and the audit row of the question locally, and shows how an error is
 * told from others. Settings: SVC_URL, and SVC_TOKEN, the token of an admin. Outside of this checkout, import
 * 'multimodal-retrieval-client'.
 */
import {
  BadRequest,
  createClient,
  UpgradeRequired,
  verifyCitation,
  verifyInclusion,
} from '../clients/typescript/src/index.ts'

const { SVC_URL: baseUrl = 'http://127.0.0.1:8787', SVC_TOKEN: token = '' } = process.env
const client = createClient({ baseUrl, token, scope: 'harbor/backend' })

try {
  const { answer } = await client.answer({ q: 'why did the battery pack overheat at pier 4' })
  console.log(answer?.text)
  for (const citation of answer?.citations ?? []) {
    const { ok } = await verifyCitation(citation, await client.units.get(citation.unit_id))
    console.log(`citation ${citation.marker} holds: ${ok}`)
  }
} catch (error) {
  if (!(error instanceof UpgradeRequired)) throw error
  console.log(`answers need the tier ${error.requiredTier}`)
}

// Keep the verifier key of the first time: a proof is worth as much as the key that it is checked with.
const { verifier_key: verifierKey } = await client.audit.checkpoint()
for await (const row of client.audit.list()) {
  if (row.action !== 'answer.run') continue
  const proof = await client.audit.proof({ seq: row.seq })
  const { ok } = await verifyInclusion({ row, proof, verifierKey })
  console.log(`recorded as ${row.action}, and the proof holds: ${ok}`)
  break
}

try {
  await client.search({ q: 'ferry', top_k: 51 })
} catch (error) {
  if (!(error instanceof BadRequest)) throw error
  console.log(`${error.status} ${error.code}: ${error.detail}`)
}
