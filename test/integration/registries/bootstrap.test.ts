import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot({ config: { openSeed: false } })
})
afterAll(() => app.close())

const asSuperAdmin = (method: string, path: string, body?: object, namespace?: string) =>
  app.call(method, path, {
    token: superAdminToken,
    ...(body === undefined ? {} : { body }),
    ...(namespace === undefined ? {} : { namespace }),
  })

describe('a service that is never seeded', () => {
  it('is opened by the super-admin: a namespace, a principal, a grant', async () => {
    expect((await app.call('POST', '/v1/admin/seed')).status).toBe(401)
    expect((await asSuperAdmin('GET', '/v1/context', undefined, 'acme')).status).toBe(403)
    expect((await asSuperAdmin('POST', '/v1/namespaces', { namespace: 'acme' })).body).toMatchObject({
      tier: 'enterprise',
    })
    const { principal_id, token } = (await asSuperAdmin('POST', '/v1/principals', {}, 'acme')).body
    const grant = { principal_id, scope: '*', perms: ['read', 'write', 'admin'] }
    expect((await asSuperAdmin('POST', '/v1/grants', grant, 'acme')).status).toBe(200)
    const context = await app.call('GET', '/v1/context', { token })
    expect(context.body).toMatchObject({ principal: { namespace: 'acme' }, perms: ['read', 'write', 'admin'] })
  })
})
