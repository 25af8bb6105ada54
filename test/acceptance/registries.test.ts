import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const run = Date.now().toString(36)
const named = (name: string) => `${name}-${run}`
const any = { string: expect.any(String), number: expect.any(Number) }
const refusal = (status: number, error: string) => ({ error, detail: any.string, status })
const allPlanes = ['text', 'visual', 'audio', 'doc_visual']

const inNamespace = (name: string | undefined): { headers: Record<string, string> } => ({
  headers: name === undefined ? {} : { 'x-svc-namespace': name },
})
const get = (path: string, token: string, namespace?: string) =>
  service.call('GET', path, { token, ...inNamespace(namespace) })
const post = (path: string, token: string, body: unknown, namespace?: string) =>
  service.call('POST', path, { token, body, ...inNamespace(namespace) })
const remove = (path: string, token: string, namespace?: string) =>
  service.call('DELETE', path, { token, ...inNamespace(namespace) })
const claim = (token: string, namespace: string) => post('/v1/namespaces', token, { namespace })

describe('lists', () => {
  it('are whole over REST and pages over GraphQL', async () => {
    const { admin } = service.tokens
    const keys = { grants: 'id', principals: 'principal_id', scopes: 'scope', namespaces: 'namespace' }
    for (const [list, key] of Object.entries(keys)) {
      const { body } = await get(`/v1/${list}`, admin)
      expect(Object.keys(body)).toEqual([list])
      const query = `query ($cursor: SafeInt) {
        page: ${list}(cursor: $cursor, limit: 2) { ${list} { ${key}: ${key.replace('_id', 'Id')} } count nextCursor } }`
      const found: unknown[] = []
      for (let cursor: number | null = 0; cursor !== null; ) {
        const { page }: { page: { count: number; nextCursor: number | null } & Record<string, unknown[]> } = (
          await post('/graphql', admin, { query, variables: { cursor } })
        ).body.data
        expect(page.count).toBe(body[list].length)
        found.push(...(page[list] ?? []))
        cursor = page.nextCursor
      }
      expect(found).toEqual(body[list].map((item: Record<string, unknown>) => ({ [key]: item[key] })))
    }
  })
})

describe('namespaces', () => {
  const record = {
    namespace: named('shape'),
    tier: 'pro',
    owner: 'pro-user',
    home: false,
    registered: true,
    planes: allPlanes,
    max_namespaces: null,
    created_at: any.number,
  }

  it('are claimed, listed, read and deleted', async () => {
    const { pro } = service.tokens
    const claimed = await claim(pro, named('shape'))
    expect(claimed.body).toEqual(record)
    expect(claimed.status).toBe(200)
    const again = await claim(pro, named('shape'))
    expect([again.status, again.body]).toEqual([200, claimed.body])
    expect((await get(`/v1/namespaces/${named('shape')}`, pro)).body).toEqual(claimed.body)

    const list = await get('/v1/namespaces', pro)
    expect(Object.keys(list.body)).toEqual(['namespaces'])
    const names = list.body.namespaces.map((n: { namespace: string }) => n.namespace)
    expect(names).toEqual([...names].sort())
    expect(names).toEqual(expect.arrayContaining(['pro', named('shape')]))
    expect(names).not.toContain('demo')
    expect(list.body.namespaces).toContainEqual({ ...record, namespace: 'pro', owner: null, home: true })

    const deleted = await remove(`/v1/namespaces/${named('shape')}`, pro)
    expect(deleted.body).toEqual({ deleted: true, scopes: 0, grants: 1, principals: 0 })
    expect((await get('/v1/context', pro, named('shape'))).body).toEqual(refusal(403, 'forbidden'))
    expect((await get('/v1/namespaces', pro)).body.namespaces).not.toContainEqual(claimed.body)
  })

  it.each(['', 'a', '-ab', 'Abc', 'a_b', 'a b', 'ä1', 'a'.repeat(64), 5, ['ab']])(
    'refuses the name %j',
    async (name) => {
      const { status, body } = await post('/v1/namespaces', service.tokens.pro, { namespace: name })
      expect(body).toEqual(refusal(400, 'bad_request'))
      expect(body.detail).toMatch(/^namespace: /)
      expect(status).toBe(400)
    },
  )

  it('refuses unknown fields and a missing name', async () => {
    const unknown = await post('/v1/namespaces', service.tokens.pro, { namespace: named('x'), tier: 'enterprise' })
    expect(unknown.body.detail).toMatch(/^tier: /)
    expect((await post('/v1/namespaces', service.tokens.pro, {})).body.detail).toMatch(/^namespace: /)
  })

  it('does not tell reserved, held and deleted names apart', async () => {
    const { pro, enterprise } = service.tokens
    await claim(enterprise, named('held'))
    await claim(enterprise, named('gone'))
    expect((await remove(`/v1/namespaces/${named('gone')}`, enterprise)).status).toBe(200)
    const names = ['demo', 'free', 'enterprise', 'u-ada-1', named('held'), named('gone')]
    const answers = await Promise.all(names.map((name) => claim(pro, name)))
    for (const { status, body } of answers) {
      expect(status).toBe(403)
      expect(body).toEqual(answers[0]?.body)
    }
    expect((await claim(enterprise, named('gone'))).body).toEqual(answers[0]?.body)
  })

  it('shows and deletes one only to its admins: all else is the same 403', async () => {
    const { pro, enterprise, free } = service.tokens
    const paths = [named('held'), 'demo', 'no-such-namespace', named('gone'), 'not a name'].map(
      (name) => `/v1/namespaces/${encodeURIComponent(name)}`,
    )
    const answers = await Promise.all([...paths.map((p) => get(p, pro)), ...paths.map((p) => remove(p, pro))])
    for (const { status, body } of answers) {
      expect(status).toBe(403)
      expect(body).toEqual(answers[0]?.body)
    }
    // Writing to its own home does not make a principal its admin.
    expect((await get('/v1/namespaces/free', free)).body).toEqual(answers[0]?.body)
    expect((await get('/v1/namespaces/enterprise', enterprise)).status).toBe(200)
    expect((await remove('/v1/namespaces/enterprise', enterprise)).body).toEqual(refusal(403, 'forbidden'))
    expect((await remove('/v1/namespaces/demo', service.superAdmin)).body).toEqual(refusal(403, 'forbidden'))
  })

  it('count against the tier, and so does the home', async () => {
    const { free } = service.tokens
    const refused = await claim(free, named('first'))
    expect(refused.body).toEqual({ ...refusal(402, 'quota_exceeded'), required_tier: 'pro' })
    expect(refused.status).toBe(402)
    // Taken names stay 403.
    expect((await claim(free, 'demo')).status).toBe(403)
  })

  it('are all open to the super-admin, who has no home namespace', async () => {
    const { superAdmin } = service
    const { body } = await get('/v1/namespaces', superAdmin)
    const names = body.namespaces.map((n: { namespace: string }) => n.namespace)
    expect(names).toEqual(expect.arrayContaining(['demo', 'free', 'pro', 'enterprise', named('held')]))
    expect(body.namespaces.some((n: { home: boolean }) => n.home)).toBe(false)
    const claimed = await claim(superAdmin, named('ops'))
    expect(claimed.body).toMatchObject({ tier: 'enterprise', owner: 'super-admin', home: false })
    expect((await get(`/v1/namespaces/${named('ops')}`, superAdmin)).body).toEqual(claimed.body)
    expect((await claim(service.tokens.pro, named('ops'))).status).toBe(403)
  })
})
