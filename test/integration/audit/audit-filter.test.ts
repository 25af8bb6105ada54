import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'

interface Row {
  seq: number
  time: number
  principalId: string
  action: string
  target: string | null
  outcome: string
  requestId: string
}
interface Filter extends Partial<Omit<Row, 'seq' | 'time' | 'target'>> {
  target?: string
  ownReads?: boolean
  after?: number
  before?: number
}

const namespace = 'register'
let now = Date.now()
let app: TestApp
/** The callers, from those who see everything to those who see little. */
const callers: Record<string, CallOptions> = {}

beforeAll(async () => {
  app = await boot({ config: { audit: { reads: 'sync' } }, bindings: { clock: { now: () => (now += 10) } } })
  const admin = await app.principal({ id: 'admin', namespace, groups: ['staff'] })
  const reader = await app.principal({ id: 'reader', namespace, grants: [{ scope: 'dock', perms: ['read'] }] })
  const keys = apiKeysOf(app)
  for (const scope of ['dock', 'dock/crane', 'vault']) {
    await app.call('POST', '/v1/scopes', { token: admin, body: { scope } })
    const units = ['text', 'image'].map((modality) => ({ text: 'rope', modality, acl_groups: ['staff', '*'] }))
    const { body } = await app.call('POST', '/v1/ingest', { token: admin, scope, body: { units } })
    for (const { unit_id } of body.units) {
      for (const token of [admin, reader]) await app.call('GET', `/v1/units/${unit_id}`, { token })
    }
  }
  await app.call('POST', '/v1/search', { token: reader, body: { q: 'rope' } })
  for (const scope of ['dock', 'vault']) {
    await app.call('POST', '/v1/ingest', { token: reader, scope, body: { units: [{ text: 'x' }] } })
  }
  Object.assign(callers, {
    admin: { token: admin },
    'super-admin': { token: superAdminToken, namespace },
    reader: { token: reader },
    'key with a prefix': { token: (await keys.mint(admin, { scopePrefix: 'dock' })).token },
    'key of a plane': { token: (await keys.mint(admin, { planes: ['visual'] })).token },
    'agent that sees one scope': {
      token: await app.principal({
        id: 'bot',
        namespace,
        kind: 'agent',
        grants: [{ scope: 'vault', perms: ['read'] }],
      }),
    },
  })
})
afterAll(() => app.close())

const query = `query ($filter: AuditFilterInput, $cursor: SafeInt, $limit: Int) {
  audit(filter: $filter, cursor: $cursor, limit: $limit) {
    count nextCursor rows { seq time principalId action target outcome requestId } } }`
const ask = (filter: unknown, options: CallOptions = callers.admin ?? {}, page: object = {}) =>
  app.graphql(query, { filter, ...page }, options)

async function rowsOf(filter: Filter | null, options?: CallOptions, limit = 100): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const { body } = await ask(filter, options, { cursor, limit })
    expect(body.errors).toBeUndefined()
    const page: { count: number; nextCursor: number | null; rows: Row[] } = body.data.audit
    expect(page.nextCursor).toBe(cursor + limit < page.count ? cursor + limit : null)
    rows.push(...page.rows)
    cursor = page.nextCursor
    if (cursor === null) expect(page.count).toBe(rows.length)
  }
  return rows
}

const matches = (row: Row, { after = 0, before = Number.MAX_SAFE_INTEGER, ...equal }: Filter) =>
  row.time >= after &&
  row.time <= before &&
  Object.entries(equal).every(([field, value]) => row[field as keyof Row] === value)

const distinct = <T>(values: readonly T[]) => [...new Set(values)]

/** A filter for every value that the log has, so also for what some callers do not see. */
async function everyFilter(): Promise<Filter[]> {
  const rows = await rowsOf(null)
  const single = (['action', 'principalId', 'outcome', 'target', 'requestId'] as const).flatMap((field) =>
    distinct(rows.map((row) => row[field])).flatMap((value): Filter[] => (value === null ? [] : [{ [field]: value }])),
  )
  const times = [rows.at(0), rows.at(Math.floor(rows.length / 2)), rows.at(-1)].flatMap((row): Filter[] => {
    const { time = 0 } = row ?? {}
    return [{ after: time }, { before: time }, { after: time, before: time }, { after: time + 1 }, { before: time - 1 }]
  })
  return [...single, ...times]
}

const names = ['admin', 'super-admin', 'reader', 'key with a prefix', 'key of a plane', 'agent that sees one scope']

describe.each(names)('for the %s', (name) => {
  test('each field leaves the rows that match, of those that the caller sees', async () => {
    const options = callers[name]
    const seen = await rowsOf(null, options)
    expect(seen.length).toBeGreaterThan(0)
    const filters = await everyFilter()
    expect(filters.length).toBeGreaterThan(30)
    const found = await Promise.all(filters.map((filter) => rowsOf(filter, options)))
    for (const [i, filter] of filters.entries()) {
      expect(found[i], JSON.stringify(filter)).toEqual(seen.filter((row) => matches(row, filter)))
    }
    expect(found.some((rows) => rows.length > 0 && rows.length < seen.length)).toBe(true)
  })

  test('fields combine, and pages, count and cursors are of the rows that match', async () => {
    const options = callers[name]
    const seen = await rowsOf(null, options)
    const [some] = seen.filter((row) => row.target !== null)
    const middle = seen[Math.floor(seen.length / 2)]?.time ?? 0
    const { action = '', principalId = '', target = '', outcome = '', requestId = '' } = some ?? {}
    const filters: Filter[] = [
      { action, principalId, target: target ?? '', outcome, requestId, after: 0, before: now },
      { action, after: middle },
      { principalId, before: middle },
      { action, outcome: 'forbidden' },
      { principalId: 'reader', action: 'units.get' },
      {},
    ]
    for (const filter of filters) {
      const expected = seen.filter((row) => matches(row, filter))
      for (const limit of [1, 3, 100]) expect(await rowsOf(filter, options, limit)).toEqual(expected)
    }
  })
})

test.each([
  ['admin', 'admin'],
  ['reader', 'reader'],
  ['key with a prefix', 'admin'],
  ['agent that sees one scope', 'bot'],
])('the %s can leave out what it listed and opened itself, and nothing else', async (name, principalId) => {
  const reads = /^(docs|documents)\.(get|list|facets)$|^units\.(get|list)$|^source\.(link|read)$/
  const seen = await rowsOf(null, callers[name])
  const expected = seen.filter((row) => row.principalId !== principalId || !reads.test(row.action))
  for (const limit of [2, 100]) expect(await rowsOf({ ownReads: false }, callers[name], limit)).toEqual(expected)
  expect(await rowsOf({ ownReads: true }, callers[name])).toEqual(seen)
  if (name === 'reader') expect(expected.length).toBeLessThan(seen.length)
})

test('what the callers see differs, so that the comparisons mean something', async () => {
  const all = await rowsOf(null)
  const count = async (name: string, filter: Filter | null = null) => (await rowsOf(filter, callers[name])).length
  expect(await count('super-admin')).toBe(all.length)
  const vault = { target: 'vault' }
  expect(await count('admin', vault)).toBeGreaterThan(0)
  for (const name of ['reader', 'key with a prefix']) {
    expect(await count(name)).toBeLessThan(all.length)
    expect([name, await count(name, vault)]).toEqual([name, 0])
  }
  expect(await count('agent that sees one scope', vault)).toBeGreaterThan(0)
  expect(await count('agent that sees one scope', { target: 'dock' })).toBe(0)
  expect(await count('reader', { principalId: 'reader', outcome: 'forbidden' })).toBeGreaterThan(0)
  expect(await count('key with a prefix', { outcome: 'forbidden' })).toBe(0)
})

describe('a filter', () => {
  test('that nothing matches leaves an empty page', async () => {
    for (const filter of [{ action: 'no.such' }, { target: 'VAULT' }, { target: 'vaul_' }, { after: now + 1e9 }]) {
      const { body } = await ask(filter)
      expect(body.data.audit).toEqual({ count: 0, nextCursor: null, rows: [] })
    }
    const { body } = await ask({ outcome: 'ok' }, callers.admin, { cursor: Number.MAX_SAFE_INTEGER })
    expect(body.data.audit).toEqual({ count: (await rowsOf({ outcome: 'ok' })).length, nextCursor: null, rows: [] })
  })

  test('of nulls is none', async () => {
    const all = await rowsOf(null)
    const { body } = await ask({ action: null, target: null, after: null })
    expect(body.data.audit.count).toBe(all.length)
  })

  test.each([
    [{ action: '' }, 'filter.action: must not be empty'],
    [{ action: 'a'.repeat(129) }, 'filter.action: must be at most 128 characters'],
    [{ principalId: '' }, 'filter.principalId: must not be empty'],
    [{ outcome: 'a'.repeat(129) }, 'filter.outcome: must be at most 128 characters'],
    [{ target: 'a'.repeat(2049) }, 'filter.target: must be at most 2048 characters'],
    [{ requestId: 'a\0' }, 'filter.requestId: must not contain NUL or an unpaired surrogate'],
    [{ after: 1.5 }, 'after'],
    [{ before: 'today' }, 'before'],
    [{ before: 2 ** 53 }, 'before'],
    [{ action: 5 }, 'action'],
    [{ seq: 5 }, 'seq'],
    [5, 'filter'],
  ])('%j is 400', async (filter, detail) => {
    const error = errorOf(await ask(filter))
    expect(error).toMatchObject({ status: 400, code: 'bad_request' })
    expect(error?.detail).toContain(detail)
  })

  test('opens the log to nobody', async () => {
    const token = await app.principal({ id: 'writer', namespace, grants: [{ scope: 'dock', perms: ['write'] }] })
    expect(errorOf(await ask({ action: 'units.get' }, { token }))).toMatchObject({ status: 403 })
    const free = await app.principal({ id: 'gratis', namespace: 'gratis', tier: 'free' })
    expect(errorOf(await ask({ action: 'units.get' }, { token: free }))).toMatchObject({ status: 402 })
    const { body } = await app.call('GET', '/v1/audit?filter=x&action=units.get', callers.admin)
    expect(body.count).toBe((await rowsOf(null)).length)
  })
})
