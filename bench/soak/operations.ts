import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from './client.ts'
import { ingest, type World, wordsOf } from './world.ts'

export interface Person {
  name: string
  email: string
  password: string
}

export interface Context {
  url: string
  client: Client
  world: World
  person: Person
  /** Leaves out what deletes. */
  grow: boolean
}

type Operation = (context: Context) => Promise<unknown>

const batch = 5

/** Some neighbouring slots. */
function pick({ slots, chance }: World) {
  const from = chance(slots.length - batch)
  return slots.slice(from, from + batch)
}

const search: Operation = ({ client, world }) =>
  client.send('POST', '/v1/search', { q: wordsOf(world, 3), top_k: 10, rerank: world.chance(4) === 0 })

const answer: Operation = ({ client, world }) =>
  client.send('POST', '/v1/answer', { q: `where is ${wordsOf(world, 2)}?` })

const list: Operation = ({ client }) => client.send('GET', '/v1/units?limit=50')

/** New texts under the same external ids; some get a vector of another model. */
const update: Operation = async ({ client, world, grow }) => {
  const externalIds = grow ? pick(world).map(() => `more-${world.next()}`) : pick(world).map((slot) => slot.externalId)
  await ingest(client, world, externalIds)
}

/** Writes Units in the place of deleted ones. */
async function sendAgain(client: Client, world: World, slots: World['slots']): Promise<void> {
  const made = await ingest(
    client,
    world,
    slots.map(({ externalId }) => externalId),
  )
  for (const [i, slot] of slots.entries()) slot.unitId = made[i] ?? ''
}

/** Hard-deletes Units and writes as many others. */
const replace: Operation = async ({ client, world, grow }) => {
  const slots = pick(world)
  const ids = slots.map(({ unitId }) => unitId)
  if (!grow) {
    await client.send('POST', '/v1/units:delete', { ids, hard: true })
    world.stubs += slots.length
  }
  for (const slot of slots) slot.externalId = `unit-${world.next()}`
  await sendAgain(client, world, slots)
}

/** Soft-deletes Units, sends them again as new ones, and purges the old ones: what is soft-deleted keeps its content. */
const comeBack: Operation = async ({ client, world, grow }) => {
  const slots = pick(world)
  const ids = slots.map(({ unitId }) => unitId)
  await client.send('POST', '/v1/units:delete', { ids })
  await sendAgain(client, world, slots)
  if (grow) return
  const { body } = await client.send('POST', '/v1/units:delete', { ids, hard: true })
  world.stubs += body.purged
}

/** The same write twice: one effect, one answer. */
const repeat: Operation = async ({ client, world }) => {
  const [slot] = pick(world)
  if (!slot) return
  const body = { units: [{ scope: 'soak', external_id: slot.externalId, text: `Entry: ${wordsOf(world, 30)}` }] }
  const headers = { 'idempotency-key': `soak-${world.next()}` }
  const answers = [1, 2].map(async () => (await client.send('POST', '/v1/ingest', body, headers)).body)
  const [first, second] = await Promise.all(answers)
  if (first.request_id !== second.request_id) throw new Error('a write with an Idempotency-Key was done twice')
  world.keptAnswers += 1
}

const uploads = 'mutation($input: CreateUploadInput!) { createUpload(input: $input) { url } }'
const documents = 'mutation($input: IngestDocumentInput!) { ingestDocument(input: $input) { documentId } }'
const status = 'query($id: String!) { document(documentId: $id) { status detail } }'
const deletions = 'mutation($ids: [String!]!) { deleteDocuments(documentIds: $ids, hard: true) { purged } }'

const documentsKept = 5

/** Takes in the first files. */
export async function addDocuments(context: Context): Promise<void> {
  while (context.world.documents.length < documentsKept) await document(context)
}

/** Takes in a file, and deletes the oldest one. */
const document: Operation = async ({ url, client, world, grow }) => {
  const text = Array.from({ length: 8 }, (_, i) => `# Chapter ${i}\n\n${wordsOf(world, 60)}.\n`).join('\n')
  const name = `notes/${world.next()}.md`
  const sha256 = createHash('sha256').update(text).digest('hex')
  const { createUpload } = await client.graphql(uploads, { input: { bytes: Buffer.byteLength(text), sha256, name } })
  const { body } = await createClient(url, {}).send('PUT', createUpload.url, text)
  const { ingestDocument } = await client.graphql(documents, {
    input: { sourceUri: body.source_uri, name, scope: 'soak' },
  })
  world.documents.push(ingestDocument.documentId)
  for (let tried = 0; ; tried += 1) {
    const now = (await client.graphql(status, { id: ingestDocument.documentId })).document
    if (now.status === 'ready') break
    if (now.status === 'failed' || tried > 600) throw new Error(`a document is ${now.status}: ${now.detail}`)
    await sleep(100)
  }
  const old = world.documents.length > documentsKept && !grow ? world.documents.shift() : undefined
  if (old === undefined) return
  world.stubs += (await client.graphql(deletions, { ids: [old] })).deleteDocuments.purged
}

/** Signs in, looks around, and signs out. */
const login: Operation = async ({ url, person: { email, password }, grow }) => {
  const { headers } = await createClient(url, { origin: url }).send('POST', '/api/auth/sign-in/email', {
    email,
    password,
  })
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const browser = createClient(url, { cookie, origin: url })
  await browser.send('GET', '/v1/context', undefined, { 'x-svc-scope': '*' })
  if (!grow) await browser.send('POST', '/api/auth/sign-out', {})
}

/** Makes a key, uses it, and revokes it. */
const key: Operation = async ({ url, client, grow }) => {
  const { createApiKey } = await client.graphql(
    'mutation { createApiKey(input: { name: "soak", perms: [read] }) { token key { id } } }',
  )
  await createClient(url, { authorization: `Bearer ${createApiKey.token}` }).send('GET', '/v1/units?limit=1')
  if (grow) return
  await client.graphql('mutation($id: String!) { revokeApiKey(id: $id) { revoked } }', { id: createApiKey.key.id })
}

/** A principal with a grant comes and goes. */
const principal: Operation = async ({ client, grow }) => {
  const { body } = await client.send('POST', '/v1/principals', { kind: 'service' })
  await client.send('POST', '/v1/grants', { principal_id: body.principal_id, scope: 'soak', perms: ['read'] })
  if (!grow) await client.send('DELETE', `/v1/principals/${body.principal_id}`)
}

const checkpoint: Operation = async ({ client }) => {
  await client.send('GET', '/v1/audit/checkpoint')
  const { body } = await client.send('GET', '/v1/audit/verify')
  if (!body.intact) throw new Error(`the audit log is not intact: ${JSON.stringify(body)}`)
}

/** By name, with how often each comes in a hundred. */
export const operations: readonly (readonly [name: string, weight: number, run: Operation])[] = [
  ['search', 42, search],
  ['update', 16, update],
  ['replace', 10, replace],
  ['come back', 8, comeBack],
  ['list', 5, list],
  ['answer', 4, answer],
  ['repeat', 4, repeat],
  ['login', 4, login],
  ['key', 3, key],
  ['document', 2, document],
  ['principal', 1, principal],
  ['checkpoint', 1, checkpoint],
]

const sum = operations.reduce((total, [, weight]) => total + weight, 0)

export function draw(world: World): (typeof operations)[number] {
  let dice = world.chance(sum)
  for (const one of operations) {
    if (dice < one[1]) return one
    dice -= one[1]
  }
  throw new Error('no operation')
}
