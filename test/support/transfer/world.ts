import { expect } from 'vitest'
import { apiKeysOf } from '../access/api-keys.ts'
import { openBrowser } from '../access/browser.ts'
import { type BootOptions, boot, type TestApp } from '../boot.ts'
import type { TestStorage } from '../database/database.ts'
import { taken } from '../documents/files.ts'
import { evaluationsOf } from '../evaluations.ts'

/** The signing key of both deployments. */
export const signingSeed = Buffer.alloc(32, 7)

/** Reads write no log rows, so a log holds only the test's own actions. */
export const bootWorld = (
  storage: TestStorage,
  signingSeeds = [signingSeed],
  config: BootOptions['config'] = {},
): Promise<TestApp> => boot({ storage, config: { ...config, audit: { reads: 'off', signingSeeds } } })

/** The created data, which must exist in every copy. */
export interface World {
  /** Tokens of callers with different visibility. */
  callers: Record<string, string>
  revoked: string
  unitIds: string[]
  /** A source with existing bytes; the other sources of the namespace are missing theirs. */
  sourceUri: string
  proof: unknown
  checkpoint: { size: number; note: string }
  email: string
}

export const bigSource = Buffer.from(Array.from({ length: 1_200_000 }, (_, i) => (i * 31) % 251))

const words = ['pier', 'ferry', 'battery', 'tide', 'rope', 'lantern', 'harbour', 'fog']
const textOf = (i: number) =>
  `${words[i % 8]} ${words[(i * 3 + 1) % 8]} ${words[(i * 5 + 2) % 8]} number ${i} "quoted" \\ ünï 🚢`
const vectorOf = (i: number) => Array.from({ length: 8 }, (_, d) => Math.sin(i * 7 + d * 3))

/** Fills an application with every kind of data: namespaces `alpha` and `beta`, and a person's home namespace. */
export async function fillWorld(app: TestApp): Promise<World> {
  const owner = await app.principal({ id: 'owner', namespace: 'alpha', groups: ['crew'] })
  const reader = await app.principal({
    id: 'reader',
    namespace: 'alpha',
    groups: ['crew'],
    grants: [{ scope: 'deck', perms: ['read'] }],
  })
  const outsider = await app.principal({
    id: 'outsider',
    namespace: 'beta',
    grants: [
      { scope: 'deck', perms: ['read', 'write'], groups: ['guests'], namespace: 'alpha' },
      { scope: '*', perms: ['read', 'write', 'admin'] },
    ],
  })
  const goner = await app.principal({ id: 'goner', namespace: 'gone' })
  expect((await app.call('DELETE', '/v1/namespaces/gone', { token: goner })).status).toBe(200)
  const revoked = await app.principal({ id: 'leaver', namespace: 'alpha' })
  const post = async (path: string, body: object, scope?: string) => {
    const reply = await app.call('POST', path, { token: owner, body, ...(scope !== undefined && { scope }) })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body
  }
  const sourceUri = await upload(app, owner, bigSource)
  const lostUri = await upload(app, owner, Buffer.from('soon gone'))
  const units = Array.from({ length: 24 }, (_, i) => ({
    external_id: `note-${i}`,
    text: textOf(i),
    doc_id: i % 4 === 0 ? `doc-${i % 8}` : undefined,
    acl_groups: [['*'], ['crew'], ['guests'], []][i % 4],
    metadata: { n: i, half: i / 3, tags: ['a', `t${i % 3}`], ok: i % 2 === 0 },
    ...(i === 0 && {
      source_uri: sourceUri,
      mime: 'video/mp4',
      locator: { kind: 'time_range', t_start_ms: 1, t_end_ms: 9 },
    }),
    ...(i === 1 && { source_uri: lostUri }),
    ...(i > 15 && { vector: vectorOf(i) }),
  }))
  const { units: written } = await post('/v1/ingest', { units }, 'deck')
  await post('/v1/ingest', { units: [{ text: 'crates of rope', plane: 'visual', acl_groups: ['*'] }] }, 'deck/fore')
  await post('/v1/ingest', { units: [{ text: 'in a scope that goes', acl_groups: ['*'] }] }, 'hold')
  await post('/v1/ingest', { units: [{ external_id: 'note-2', text: 'fog again', acl_groups: ['guests'] }] }, 'deck')
  await post('/v1/units:delete', { filter: { external_id: 'note-5' } })
  await post('/v1/units:delete', { filter: { external_id: 'note-1' }, hard: true })
  await app.call('DELETE', '/v1/scopes/hold', { token: owner })
  await app.call('DELETE', '/v1/principals/leaver', { token: owner })
  const narrow = await apiKeysOf(app).mint(owner, { name: 'narrow', perms: ['read'], scopePrefix: 'deck/fore' })
  const groups =
    'mutation { changeGroup(name: "crew", input: { addGroups: ["deckhands"], displayName: "The crew" }) { name } }'
  expect((await app.graphql(groups, {}, { token: owner })).body.errors).toBeUndefined()
  const unsaid = 'mutation { updateNamespace(input: { namespace: "beta", hiddenCount: off }) { hiddenCount } }'
  expect((await app.graphql(unsaid, {}, { token: outsider })).body.errors).toBeUndefined()
  const equal =
    'mutation { setSynonyms(input: { groups: [["ferry", "boat"]], oneWay: [{ from: "fog", to: ["mist"] }] }) { groups } }'
  expect((await app.graphql(equal, {}, { token: owner })).body.errors).toBeUndefined()
  const evaluations = evaluationsOf(app)
  await evaluations.create([{ q: 'ferry in the fog', expectedExternalIds: ['note-7'] }], { token: owner })
  const { run } = await evaluations.finish({}, { token: owner })
  await evaluations.publish({ run: run.id }, { token: owner })
  const ada = openBrowser(app)
  const email = 'ada@example.com'
  await ada.signUp(email)
  expect((await ada.call('POST', '/v1/namespaces', { body: { namespace: 'ada-notes' } })).status).toBe(200)
  await ada.call('POST', '/v1/ingest', { body: { units: [{ text: 'a note of her own' }] }, scope: 'mine' })
  await addBilling(app, 'owner')
  const { checkpoint, proof } = await growLog(app, owner)
  await app.runtime.domain.background.idle()
  const callers = { owner, reader, outsider, narrow: narrow.token }
  const unitIds = written.map((unit: { unit_id: string }) => unit.unit_id)
  await taken(app, owner, 'log/today.txt', 'The lantern was lit at dusk.', { scope: 'deck' })
  return { callers, revoked, unitIds, sourceUri, proof, checkpoint, email }
}

async function upload(app: TestApp, token: string, bytes: Buffer): Promise<string> {
  const { body } = await app.graphql(
    'mutation ($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }',
    { input: { data: bytes.toString('base64'), mime: 'video/mp4' } },
    { token },
  )
  return body.data.createSource.sourceUri
}

/** Makes the log long enough that its tree has inner nodes, and signs it more than once. */
async function growLog(app: TestApp, token: string) {
  const { catalog } = app.runtime.bindings
  const found = await catalog.access.namespace('alpha')
  const checkpoint = (await app.call('GET', '/v1/audit/checkpoint', { token })).body
  await catalog.transact(found?.namespace.id ?? '', async (tx) => {
    for (let i = 0; i < 300; i++) {
      const actor = { time: 1_700_000_000_000 + i, principalId: 'owner', requestId: `r-${i}` }
      const detail = { note: `ünï "${i}" \u2028`, half: i / 3, none: null, large: 1e21 }
      await tx.audit({ ...actor, action: 'units.ingest', target: 'deck', outcome: 'ok', detail })
    }
  })
  const { status, body: proof } = await app.call('GET', '/v1/audit/proof?seq=3', { token })
  expect(status).toBe(200)
  return { checkpoint, proof }
}

/** Writes the state that the provider's events would leave. */
export async function addBilling({ runtime }: TestApp, principalId: string): Promise<void> {
  const version = { objectId: 'sub_1', customer: 'cus_1', paymentIntent: null, principalId: null, at: 5, rank: 1 }
  const facts = {
    kind: 'subscription' as const,
    status: 'active',
    prices: [],
    tier: 'pro' as const,
    endsAt: null,
    periodEnd: null,
  }
  await runtime.bindings.catalog.provision(async ({ billing }) => {
    await billing.bind({ customer: 'cus_1', principalId, own: true }, 1)
    for (const id of ['evt_b', 'evt_a']) await billing.addVersion({ ...version, id, source: 'event', facts })
    await billing.saveAccount({ principalId, tier: 'pro', changesAt: null })
    await billing.ask({ objectId: 'sub_1', kind: 'subscription', paymentIntent: null }, 4e12)
  })
}

const queries = [
  { q: 'ferry in the fog', top_k: 20 },
  { q: 'battery', top_k: 5, planes: ['text'] },
  { q: '', filters: { metadata: { ok: true } }, top_k: 30 },
  { q: '', vector: { text: vectorOf(20) }, top_k: 10 },
  { q: 'rope', filters: { doc_id: ['doc-0', 'doc-4'] } },
]

/**
 * The search results of every caller. For a query with words these are the hits of the text index that contain one of
 * them, and the top hit if its text equals the query. All text indexes agree on these. They differ in scores and in the
 * order of equal matches, and only the embedded index finds parts of words.
 */
export async function findingsOf({ call }: TestApp, { callers }: World): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [caller, token] of Object.entries(callers)) {
    const options = { token, namespace: 'alpha', scope: '*' }
    for (const query of decided) {
      const { status, body } = await call('POST', '/v1/search', { ...options, body: { ...query, top_k: 50 } })
      expect([status, body.trace.degraded]).toEqual([200, []])
      const hits: Found[] = body.hits
      const words = wordsOf(query.q)
      const fitting = hits.filter(({ text, explain }) => {
        const holdsWord = wordsOf(text).some((word) => words.includes(word))
        return words.length === 0 || (holdsWord && explain.some(({ leg }) => leg === 'text'))
      })
      const found = fitting.map(({ unit_id }) => unit_id).sort()
      const best = hits[0]?.text === query.q ? hits[0].unit_id : null
      findings.push({ caller, query, found, best })
    }
  }
  return findings
}

interface Found {
  unit_id: string
  text: string
  explain: { leg: string }[]
}

interface Finding {
  caller: string
  query: (typeof decided)[number]
  /** Sorted ids. */
  found: string[]
  best: string | null
}

const wordsOf = (text: string): string[] => text.match(/\p{L}+/gu) ?? []

const decided = [
  { q: 'battery' },
  { q: 'rope lantern' },
  { q: 'fog', planes: ['text'] },
  { q: 'harbour', filters: { metadata: { ok: true } } },
  { q: '', filters: { metadata: { n: { gte: 9 }, tags: 't1' } } },
  { q: '', vector: { text: vectorOf(20) } },
  { q: 'crates of rope' },
  { q: textOf(8) },
  { q: textOf(22) },
]

/** Everything that each caller can see, except what depends on time or place. */
export async function viewOf({ call }: TestApp, { callers, unitIds, revoked }: World): Promise<unknown> {
  const seen: Record<string, unknown> = { revoked: (await call('GET', '/v1/context', { token: revoked })).status }
  for (const [name, token] of Object.entries(callers)) {
    const options = { token, namespace: 'alpha', scope: '*' }
    const searches = []
    for (const query of queries) {
      const { status, body } = await call('POST', '/v1/search', { ...options, body: query })
      searches.push({ status, hits: body.hits, hidden: body.hidden_by_acl })
    }
    const { trace: _, ...answer } = (await call('POST', '/v1/answer', { ...options, body: { q: 'ferry number 9' } }))
      .body
    const { body: list } = await call('GET', '/v1/units?limit=100', options)
    const { body: context } = await call('GET', '/v1/context', options)
    const units = []
    for (const id of unitIds) {
      const { status, body } = await call('GET', `/v1/units/${id}`, options)
      units.push({ status, unit: status === 200 ? body : null })
    }
    const elsewhere = (await call('GET', '/v1/units', { token, namespace: 'ada-notes' })).status
    seen[name] = { searches, answer, list, context, units, elsewhere }
  }
  return seen
}
