import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootTeams, type Teams } from '../../support/access/restricted-team.ts'

const soon = () => teams.now() + 60_000

let teams: Teams
beforeAll(async () => {
  teams = await bootTeams()
})
afterAll(() => teams.app.close())

describe('a key with a scope prefix', () => {
  test('administers the scopes below it, and nothing else', async () => {
    const { everything, mint } = await teams.createTeam()
    const token = await mint({ scopePrefix: 'x/below' })
    expect((await teams.send('POST', '/v1/scopes', token, { scope: 'x/below/new' })).status).toBe(200)
    const { grants } = (await everything()).records
    expect(grants).toContainEqual(expect.objectContaining({ scope: 'x/below/new', perms: ['read', 'write', 'admin'] }))
    expect((await teams.run.updateScope('x/below/new', { planes: ['text'] }, { token })).error).toBeNull()
    expect((await teams.send('DELETE', '/v1/scopes/x', token)).status).toBe(403)
    expect(
      (await teams.send('POST', '/v1/grants', token, { principal_id: 'any', scope: 'x', perms: ['read'] })).status,
    ).toBe(403)
    expect((await teams.send('DELETE', '/v1/scopes/x%2Fbelow', token)).status).toBe(200)
  })
})

describe('a key with permissions', () => {
  test('is granted no others by a scope that it creates', async () => {
    const { everything, mint } = await teams.createTeam()
    const token = await mint({ perms: ['write'] })
    expect((await teams.send('POST', '/v1/scopes', token, { scope: 'written' })).status).toBe(200)
    const { grants } = (await everything()).records
    expect(grants).toContainEqual(expect.objectContaining({ scope: 'written', perms: ['write'], expiresAt: null }))
  })
})

describe('a key that expires', () => {
  test('makes principals whose tokens end with it', async () => {
    const { boss, mint } = await teams.createTeam()
    const expiresAt = soon()
    const token = await mint({ expiresAt })
    const made = await teams.send('POST', '/v1/principals', token, { name: 'late' })
    expect(made.status).toBe(200)
    const { token: late, principal_id } = made.body
    await teams.send('POST', '/v1/grants', boss, { principal_id, scope: '*', perms: ['read'] })
    expect((await teams.send('GET', '/v1/units', late)).status).toBe(200)
    const child = await teams.keys.mint(late)
    teams.passTo(expiresAt + 200)
    expect((await teams.send('GET', '/v1/units', late)).status).toBe(401)
    expect((await teams.send('GET', '/v1/units', child.token)).status).toBe(401)
  })

  test('makes grants that count until it ends, also those of the scopes that it creates', async () => {
    const { namespace, boss, id, everything, mint } = await teams.createTeam()
    const reader = await teams.app.principal({ id: `${namespace}-reader`, namespace, grants: [] })
    const expiresAt = soon()
    const token = await mint({ expiresAt })
    const given = await teams.send('POST', '/v1/grants', token, {
      principal_id: `${namespace}-reader`,
      scope: '*',
      perms: ['read'],
    })
    expect(given.status).toBe(200)
    const admin = await teams.send('POST', '/v1/grants', token, {
      principal_id: `${namespace}-reader`,
      scope: '*',
      perms: ['admin'],
    })
    expect((await teams.send('POST', '/v1/scopes', token, { scope: 'short' })).status).toBe(200)
    const { grants } = (await everything()).records
    const ends = grants.filter((grant: { expiresAt: number | null }) => grant.expiresAt !== null)
    expect(ends.map(({ scope, ...grant }: { scope: string; expiresAt: number }) => [scope, grant.expiresAt])).toEqual([
      ['*', expiresAt],
      ['*', expiresAt],
      ['short', expiresAt],
    ])
    expect((await teams.send('GET', '/v1/units', reader)).status).toBe(200)
    // A temporary admin does not count as an admin of a namespace.
    const [lasting] = grants.filter((grant: { expiresAt: number | null }) => grant.expiresAt === null)
    expect((await teams.send('DELETE', `/v1/grants/${lasting.id}`, boss)).status, id).toBe(400)
    teams.passTo(expiresAt + 200)
    expect((await teams.send('GET', '/v1/units', reader)).status).toBe(403)
    expect((await teams.send('GET', `/v1/grants/${admin.body.id}`, boss)).status).toBe(404)
    expect((await everything()).records.grants).toHaveLength(1)
  })

  test('neither claims namespaces nor pays', async () => {
    const { mint } = await teams.createTeam()
    const token = await mint({ expiresAt: soon() })
    expect((await teams.send('POST', '/v1/namespaces', token, { namespace: 'claimed' })).status).toBe(403)
    const paid = await teams.send('POST', '/v1/billing/checkout', token, { tier: 'pro', cadence: 'monthly' })
    expect(paid.status).toBe(403)
  })
})
