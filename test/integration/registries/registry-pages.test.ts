import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
import { evaluationsOf } from '../../support/evaluations.ts'

/** The lists: the root field, the field with its items, what names an item, and the route with the whole list. */
const lists = [
  { field: 'grants', items: 'grants', key: 'id', wire: 'id', path: '/v1/grants' },
  { field: 'principals', items: 'principals', key: 'principalId', wire: 'principal_id', path: '/v1/principals' },
  { field: 'scopes', items: 'scopes', key: 'scope', wire: 'scope', path: '/v1/scopes' },
  { field: 'namespaces', items: 'namespaces', key: 'namespace', wire: 'namespace', path: '/v1/namespaces' },
  { field: 'apiKeys', items: 'keys', key: 'id', wire: 'id', path: null },
  { field: 'evaluationRuns', items: 'runs', key: 'id', wire: 'id', path: null },
] as const
type List = (typeof lists)[number]
type Field = List['field']

const namespace = 'archive'
/** Of what can be more than a page. */
const made = 104
let now = Date.now()
let app: TestApp
let boss: string
beforeAll(async () => {
  app = await boot({ bindings: { clock: { now: () => now } } })
  const numbers = Array.from({ length: made }, (_, i) => `${i}`.padStart(3, '0'))
  const everything = { scope: '*', perms: ['read' as const, 'write' as const, 'admin' as const] }
  const everywhere = numbers.map((n) => ({ ...everything, namespace: `archive-${n}` }))
  boss = await app.principal({ id: 'boss', namespace, grants: [everything, ...everywhere] })
  const units = numbers.map((n) => ({ text: 'heron', scope: Number(n) % 2 ? `odd/s${n}` : `even/s${n}` }))
  expect((await app.call('POST', '/v1/ingest', { token: boss, body: { units } })).status).toBe(200)
  // All of one time: their order must not depend on the page.
  for (const n of numbers) {
    await app.principal({ id: `member-${n}`, namespace, grants: [{ scope: 'odd', perms: ['read'] }] })
  }
  for (let i = 0; i < 20; i++) await apiKeysOf(app).mint(boss)
  const golden = evaluationsOf(app)
  await golden.create([{ q: 'heron', expectedAnswers: ['heron'] }], { token: boss })
  for (let i = 0; i < 9; i++) await golden.evaluate({ answers: false }, { token: boss })
})
afterAll(() => app.close())

const query = ({ field, items, key }: List) =>
  `query ($cursor: SafeInt, $limit: Int) { ${field}(cursor: $cursor, limit: $limit) { ${items} { ${key} } count nextCursor } }`
const ask = (list: List, variables: object, options: CallOptions = { token: boss }) =>
  app.graphql(query(list), { ...variables }, options)

interface Page {
  names: string[]
  count: number
  nextCursor: number | null
}

async function pageOf(list: List, variables: object, options?: CallOptions): Promise<Page> {
  const { body } = await ask(list, variables, options)
  expect(body.errors).toBeUndefined()
  const { [list.items]: items, ...page } = body.data[list.field]
  return { ...page, names: items.map((item: Record<string, string>) => item[list.key]) }
}

async function allOf(list: List, limit: number, options?: CallOptions): Promise<string[]> {
  const names: string[] = []
  const counts = new Set<number>()
  for (let cursor: number | null = 0; cursor !== null; ) {
    const page: Page = await pageOf(list, { cursor, limit }, options)
    counts.add(page.count)
    expect(page.nextCursor).toBe(cursor + limit < page.count ? cursor + limit : null)
    expect(page.names).toHaveLength(Math.min(limit, page.count - cursor))
    names.push(...page.names)
    cursor = page.nextCursor
  }
  expect([...counts]).toEqual([names.length])
  return names
}

const listOf = (field: Field): List => {
  const found = lists.find((list) => list.field === field)
  if (!found) throw new Error(field)
  return found
}
const countOf = async (field: Field, options: CallOptions) => (await pageOf(listOf(field), {}, options)).count

describe.each(lists.map((list) => [list.field, list] as const))('%s', (_, list) => {
  test('come in pages that together are the whole, without gaps or repetition', async () => {
    const whole = await allOf(list, 100)
    expect(new Set(whole).size).toBe(whole.length)
    for (const limit of whole.length > 100 ? [9, 52] : [1, 9]) expect(await allOf(list, limit)).toEqual(whole)
  })

  test('hold 100 items unless fewer are requested', async () => {
    const whole = await allOf(list, 100)
    if (list.path) expect(whole.length).toBeGreaterThan(100)
    const expected = { names: whole.slice(0, 100), count: whole.length, nextCursor: whole.length > 100 ? 100 : null }
    expect(await pageOf(list, {})).toEqual(expected)
    expect(await pageOf(list, { limit: null, cursor: null })).toEqual(expected)
  })

  test('are empty beyond the end', async () => {
    const { count } = await pageOf(list, {})
    for (const cursor of [count, Number.MAX_SAFE_INTEGER]) {
      expect(await pageOf(list, { cursor })).toEqual({ names: [], count, nextCursor: null })
    }
  })

  test.each([
    [{ limit: 0 }, 'limit: must be between 1 and 100'],
    [{ limit: 101 }, 'limit: must be between 1 and 100'],
    [{ cursor: -1 }, 'cursor: must not be negative'],
  ])('refuse %j', async (variables, detail) => {
    expect(errorOf(await ask(list, variables))).toEqual({ status: 400, code: 'bad_request', detail })
  })
})

test.each(lists.flatMap((list) => (list.path ? [[list.path, list] as const] : [])))(
  'GET %s is whole, and has nothing else',
  async (path, list) => {
    const { status, body } = await app.call('GET', `${path}?limit=1&cursor=1`, { token: boss })
    expect([status, Object.keys(body)]).toEqual([200, [list.items]])
    const names = body[list.items].map((item: Record<string, string>) => item[list.wire])
    expect(names.length).toBeGreaterThan(100)
    expect(names).toEqual(await allOf(list, 100))
  },
)

describe('the count holds only what the caller may see:', () => {
  test('scopes of a key with a prefix, and of a principal with grants on some', async () => {
    const key = await apiKeysOf(app).mint(boss, { scopePrefix: 'odd' })
    const reader = await app.principal({ id: 'reader', namespace, grants: [{ scope: 'odd', perms: ['read'] }] })
    for (const token of [key.token, reader]) {
      const names = await allOf(listOf('scopes'), 10, { token })
      expect(names.filter((name) => !name.startsWith('odd'))).toEqual([])
      expect(names).toHaveLength(made / 2)
      const whole = await app.call('GET', '/v1/scopes', { token })
      expect(whole.body.scopes.map(({ scope }: { scope: string }) => scope)).toEqual(names)
    }
    const agent = await app.principal({ id: 'agent', namespace, kind: 'agent', grants: [] })
    expect(await pageOf(listOf('scopes'), {}, { token: agent })).toEqual({ names: [], count: 0, nextCursor: null })
  })

  test('keys that are not wider than the calling one', async () => {
    const keys = apiKeysOf(app)
    const token = await app.principal({ id: 'holder', namespace: 'holding' })
    const narrow = await keys.mint(token, { planes: ['text'], perms: ['read'] })
    now += 1
    const narrower = await keys.mint(narrow.token, { scopePrefix: 'a' })
    await keys.mint(token, { planes: ['visual'] })
    expect(await countOf('apiKeys', { token })).toBe(4)
    expect(await allOf(listOf('apiKeys'), 1, { token: narrow.token })).toEqual([narrow.id, narrower.id])
    expect(await allOf(listOf('apiKeys'), 1, { token: narrower.token })).toEqual([narrower.id])
  })

  test('namespaces that the caller is homed or granted in', async () => {
    const granted = { scope: 'odd', perms: ['read' as const], namespace }
    const token = await app.principal({ id: 'guest', namespace: 'abroad', grants: [granted] })
    expect(await allOf(listOf('namespaces'), 1, { token })).toEqual(['abroad', namespace])
    const all = await allOf(listOf('namespaces'), 50, { token: superAdminToken })
    expect(all.length).toBeGreaterThan(made + 1)
    expect(all).toEqual(expect.arrayContaining(['abroad', namespace, 'archive-000']))
  })

  test('grants that have not ended, and principals that were not deleted', async () => {
    const before = await countOf('grants', { token: boss })
    const { token } = await apiKeysOf(app).mint(boss, { expiresAt: now + 1000 })
    const body = { principal_id: 'boss', scope: 'odd', perms: ['read'] }
    expect((await app.call('POST', '/v1/grants', { token, body })).status).toBe(200)
    expect(await countOf('grants', { token: boss })).toBe(before + 1)
    now += 1001
    expect(await countOf('grants', { token: boss })).toBe(before)

    const principals = await countOf('principals', { token: boss })
    const { body: gone } = await app.call('POST', '/v1/principals', { token: boss, body: {} })
    expect(await countOf('principals', { token: boss })).toBe(principals + 1)
    await app.call('DELETE', `/v1/principals/${gone.principal_id}`, { token: boss })
    expect(await allOf(listOf('principals'), 100)).not.toContain(gone.principal_id)
    expect(await countOf('principals', { token: boss })).toBe(principals)
  })

  test('nothing of another namespace', async () => {
    const token = await app.principal({ id: 'stranger', namespace: 'strange' })
    for (const [field, count] of [
      ['grants', 1],
      ['principals', 1],
      ['scopes', 0],
      ['namespaces', 1],
      ['apiKeys', 1],
      ['evaluationRuns', 0],
    ] as const) {
      expect([field, await countOf(field, { token })]).toEqual([field, count])
    }
  })

  test.each(['grants', 'principals', 'evaluationRuns'] as const)('%s are not counted for others', async (field) => {
    const token = await app.principal({ id: `not-${field}`, namespace, grants: [{ scope: 'odd', perms: ['admin'] }] })
    const key = await apiKeysOf(app).mint(boss, { scopePrefix: 'odd' })
    for (const other of [token, key.token]) {
      expect(errorOf(await ask(listOf(field), {}, { token: other }))).toMatchObject({ status: 403 })
    }
  })
})
