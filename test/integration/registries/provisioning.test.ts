import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { homeName } from '../../../src/domain/access/authenticate.ts'
import { systemRandom } from '../../../src/system.ts'
import { openBrowser } from '../../support/access/browser.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { expectSoundCatalog, withCatalogRows } from '../../support/database/catalog-rows.ts'

let app: TestApp

beforeAll(async () => {
  app = await boot({ config: { signIn: signInWith() } })
})
afterAll(() => app.storage.remove())

const homes = async (slug: string) => {
  const { items } = await app.runtime.bindings.catalog.registry.namespaces()
  return items.filter(({ name }) => name.startsWith(`u-${slug}-`))
}

describe('the first request of a session', () => {
  it('makes a namespace that is the user’s own, everything granted in it, and a scope to start in', async () => {
    const browser = openBrowser(app)
    await browser.signUp('Ada.Lovelace+x@Example.com')
    const { body } = await browser.call('GET', '/v1/context')
    const { namespace, principal_id } = body.principal
    expect(namespace).toMatch(/^u-ada-lovelace-x-example-com-[a-z0-9]{16}$/)
    expect(body).toMatchObject({
      principal: { read_only: false, groups: [] },
      active_scope: '*',
      allowed_scopes: ['default/main'],
      effective_scopes: ['default/main'],
      perms: ['read', 'write', 'admin'],
      folders_total: 1,
    })
    const record = { namespace, owner: principal_id, tier: 'enterprise', home: true, registered: false }
    expect((await browser.call('GET', '/v1/namespaces')).body.namespaces).toEqual([expect.objectContaining(record)])
    expect((await browser.call('GET', '/v1/grants')).body.grants).toEqual([
      expect.objectContaining({
        principal_id,
        scope: '*',
        perms: ['read', 'write', 'admin'],
        granted_by: principal_id,
      }),
    ])
    expect((await browser.call('GET', '/v1/principals')).body.principals).toEqual([
      expect.objectContaining({ principal_id, kind: 'user', active_scope: '*', read_only: false }),
    ])
    const unit = { scope: 'default/main', text: 'an analytical engine weaves algebraic patterns' }
    expect((await browser.call('POST', '/v1/ingest', { body: { units: [unit] } })).status).toBe(200)
    const found = await browser.call('POST', '/v1/search', { body: { q: 'analytical engine' } })
    expect(found.body.hits).toMatchObject([{ scope: 'default/main' }])
  })

  it('does so exactly once, though fifty come at once, at both doors and on two replicas', async () => {
    const secret = 'the same secret on both replicas of this test'
    await withVariant(app, { signIn: signInWith({ secret }) }, (one) =>
      withVariant(app, { signIn: signInWith({ secret }) }, async (two) => {
        const browsers = [openBrowser(one), openBrowser(two)]
        await browsers[0]?.signUp('many@example.com')
        await browsers[1]?.signIn('many@example.com')
        const replies = await Promise.all(
          Array.from({ length: 50 }, async (_, i) => {
            const browser = browsers[i % 2] ?? openBrowser(one)
            if (i % 3 === 0) {
              const { body } = await browser.graphql('{ context { principal { principalId namespace } } }')
              const { principalId, namespace } = body.data.context.principal
              return `200 ${principalId} ${namespace}`
            }
            const { status, body } = await browser.call('GET', '/v1/context')
            return `${status} ${body.principal.principal_id} ${body.principal.namespace}`
          }),
        )
        expect(new Set(replies).size).toBe(1)
        expect(replies[0]).toMatch(/^200 user_/)
      }),
    )
    expect(await homes('many-example-com')).toHaveLength(1)
  })

  it('opens no other user’s namespace, and no other user opens this one', async () => {
    const [ada, eve] = [openBrowser(app), openBrowser(app)]
    await ada.signUp('mine@example.com')
    await eve.signUp('eve@example.com')
    const name = (await ada.call('GET', '/v1/context')).body.principal.namespace
    expect((await eve.call('GET', '/v1/context', { namespace: name })).status).toBe(403)
    expect((await eve.call('POST', '/v1/namespaces', { body: { namespace: name } })).status).toBe(403)
    expect((await ada.call('GET', '/v1/context', { namespace: name })).status).toBe(200)
  })
})

describe('a user who is taken away', () => {
  it('stays out, and nothing is made again, when the principal was deleted', async () => {
    const browser = openBrowser(app)
    await browser.signUp('deleted@example.com')
    const { principal_id, namespace } = (await browser.call('GET', '/v1/context')).body.principal
    const { catalog, clock } = app.runtime.bindings
    const [home] = await homes('deleted-example-com')
    await catalog.provision((tx) => tx.removePrincipal(home?.id ?? '', principal_id, clock.now()))
    const again = openBrowser(app)
    await again.signIn('deleted@example.com')
    for (const each of [browser, again]) {
      expect((await each.call('GET', '/v1/context')).status).toBe(401)
      expect((await each.call('GET', '/v1/context', { namespace })).status).toBe(401)
    }
    expect(await homes('deleted-example-com')).toHaveLength(1)
  })

  it('starts again under another name when the home was deleted', async () => {
    const browser = openBrowser(app)
    await browser.signUp('moved@example.com')
    const before = (await browser.call('GET', '/v1/context')).body.principal
    const options = { token: superAdminToken, namespace: before.namespace }
    expect((await app.call('DELETE', `/v1/namespaces/${before.namespace}`, options)).status).toBe(200)
    const after = (await browser.call('GET', '/v1/context')).body.principal
    expect(after.namespace).toMatch(/^u-moved-example-com-/)
    expect(after.namespace).not.toBe(before.namespace)
    expect(after.principal_id).not.toBe(before.principal_id)
  })
})

describe('the name of a home', () => {
  it.each([
    ['ada@example.com', 'u-ada-example-com'],
    ['Ada.Lovelace+tag@Example.COM', 'u-ada-lovelace-tag-example-com'],
    ['josé@example.com', 'u-jose-example-com'],
    ['--@--', 'u'],
    ['李@例子.中国', 'u'],
    [`${'x'.repeat(200)}@example.com`, `u-${'x'.repeat(44)}`],
    [`${'x'.repeat(43)}@example.com`, `u-${'x'.repeat(43)}`],
  ])('fits whatever the address is: %s', (email, start) => {
    const name = homeName(email, systemRandom)
    expect(name).toMatch(/^[a-z0-9][a-z0-9-]{1,62}$/)
    expect(name.slice(0, -17)).toBe(start)
    expect(name.slice(-17)).toMatch(/^-[a-z0-9]{16}$/)
    expect(homeName(email, systemRandom)).not.toBe(name)
  })
})

// Last: it closes the application to read the data on disk.
describe('the catalog', () => {
  it('records each provisioning in the chain that it begins, by ids alone', async () => {
    await app.close({ keep: true })
    expect(await expectSoundCatalog(app.storage)).toBeGreaterThan(5)
    await withCatalogRows(app.storage, async (sql) => {
      const rows = await sql<{ detail: object; principal_id: string; target: string; user_id: string | null }>(
        `SELECT a.detail, a.principal_id, a.target, p.user_id FROM audit_row a
         JOIN namespace n ON n.id = a.namespace_id AND NOT n.registered AND n.name LIKE 'u-%'
         JOIN principal p ON p.principal_id = a.principal_id
         WHERE a.seq = 1 AND a.action = 'principal.provision'`,
      )
      const [counted] = await sql<{ homes: number; provisioned: number }>(
        `SELECT (SELECT count(*)::int FROM namespace WHERE name LIKE 'u-%') AS homes,
           (SELECT count(*)::int FROM audit_row WHERE action = 'principal.provision') AS provisioned`,
      )
      expect(counted).toEqual({ homes: rows.length, provisioned: rows.length })
      for (const { detail, principal_id, target } of rows) {
        expect(target).toBe(principal_id)
        expect(Object.keys(detail).sort()).toEqual(['grant_id', 'namespace_id', 'scope_id'])
      }
      expect(JSON.stringify(rows)).not.toContain('@')
    })
  })
})
