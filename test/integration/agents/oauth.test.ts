import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { type Browser, openBrowser } from '../../support/access/browser.ts'
import { type Reached, redirectUri, registerAgent } from '../../support/access/oauth.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let now = 1_790_000_000_000
let app: TestApp
let ada: Browser
let reached: Reached
beforeAll(async () => {
  app = await boot({ bindings: { clock: { now: () => now } } })
  reached = { base: 'http://localhost', fetch: app.app.fetch }
  ada = openBrowser(app)
  await ada.signUp('ada@example.com')
  await ada.call('GET', '/v1/context')
  const { client } = app.runtime.bindings.catalog as PrismaCatalog
  // Only paid tiers have an audit log.
  await client.namespace.updateMany({ data: { tier: 'enterprise' } })
  const units = [{ text: 'The lamp is lit at dusk.', external_id: 'lamp' }]
  await ada.call('POST', '/v1/ingest', { scope: 'default/main', body: { units } })
})
afterAll(() => app.close())

const message = (method: string, params: Record<string, unknown> = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const mcp = (access: string, body: unknown = message('ping'), headers: Record<string, string> = {}) =>
  app.call('POST', '/mcp', {
    token: access,
    body,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  })
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
async function use(access: string, name: string, args: Record<string, unknown> = {}): Promise<any> {
  const { body } = await mcp(access, message('tools/call', { name, arguments: args }))
  // One message, as JSON or as an event.
  const answer = typeof body === 'string' ? JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? 'null') : body
  return answer.result
}
const auditOf = async (browser: Browser, action: string) => {
  const { body } = await browser.graphql(
    `{ audit(limit: 50, filter: { action: "${action}" }) { rows { target detail } } }`,
  )
  return body.data.audit.rows
}
const connections = async (browser: Browser) =>
  (
    await browser.graphql(
      '{ agentConnections { id clientId clientName perms namespace scopePrefix createdAt lastUsedAt } }',
    )
  ).body.data.agentConnections

describe('what clients find', () => {
  test('the resource, and its authorization server', async () => {
    const resource = await app.call('GET', '/.well-known/oauth-protected-resource/mcp')
    expect(resource.body).toEqual({
      resource: 'http://localhost/mcp',
      authorization_servers: ['http://localhost'],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
    })
    const server = await app.call('GET', '/.well-known/oauth-authorization-server')
    expect(server.body).toMatchObject({
      issuer: 'http://localhost',
      registration_endpoint: 'http://localhost/oauth/register',
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
    expect((await mcp('nobody')).headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp", scope="read", error="invalid_token"',
    )
  })

  test('nothing where sign-in is off, and no registration where that is closed', async () => {
    const off = await boot({ config: { signIn: { kind: 'off' } } })
    try {
      expect((await off.call('GET', '/.well-known/oauth-protected-resource/mcp')).status).toBe(404)
      expect((await off.call('POST', '/mcp', { body: {} })).headers.get('www-authenticate')).toBe('Bearer scope="read"')
    } finally {
      await off.close()
    }
    const { signIn } = app.runtime.config
    if (signIn.kind === 'off') throw new Error('sign-in is on by default')
    const closed = await boot({ config: { signIn: { ...signIn, agentRegistration: 'closed' } } })
    try {
      expect((await closed.call('POST', '/oauth/register', { body: {} })).status).toBe(404)
      const { body } = await closed.call('GET', '/.well-known/oauth-authorization-server')
      expect(body).not.toHaveProperty('registration_endpoint')
    } finally {
      await closed.close()
    }
  })
})

describe('registration', () => {
  test('makes public, native clients', async () => {
    const { registered } = await registerAgent(reached, { client_name: 'A\u202E  notebook\nagent', grant_types: ['x'] })
    expect(registered.status).toBe(201)
    expect(registered.body).toMatchObject({
      client_name: 'A notebook agent',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      redirect_uris: [redirectUri],
    })
  })

  test.each([
    ['http://example.com/cb', 'native'],
    ['http://127.0.0.1.example.com/cb', 'native'],
    ['https://user@example.com/cb', 'native'],
    ['https://example.com/cb#part', 'native'],
    ['cursor://callback', 'native'],
    ['javascript:alert(1)', 'native'],
    ['http://localhost:80/cb', 'web'],
  ])('refuses %s of a %s client', async (uri, application_type) => {
    const { registered } = await registerAgent(reached, { redirect_uris: [uri], application_type })
    expect(registered.body).toMatchObject({ error: 'invalid_redirect_uri' })
  })
})

describe('the request', () => {
  const ask = async (changes: Record<string, string | undefined>, metadata = {}) => {
    const agent = await registerAgent(reached, metadata)
    return agent.send('GET', `/oauth/authorize?${agent.ask(changes)}`)
  }

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: 'read admin' }, 'invalid_scope'],
    [{ resource: undefined }, 'invalid_target'],
    [{ resource: 'http://localhost/v1' }, 'invalid_target'],
  ])('%j is %s, told to the client', async (changes, error) => {
    const { status, headers } = await ask(changes)
    const address = new URL(headers.get('location') ?? '')
    expect([status, `${address.origin}${address.pathname}`]).toEqual([302, redirectUri])
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ error, state: 'st ate', iss: 'http://localhost' })
  })

  test.each([
    { redirect_uri: 'http://127.0.0.1:4711/callback/' },
    { redirect_uri: 'https://evil.example/callback' },
    { redirect_uri: 'http://localhost:4711/callback' },
    { redirect_uri: undefined },
    { client_id: 'nobody' },
  ])('%j leads nowhere', async (changes) => {
    const { status, headers } = await ask(changes)
    expect([status, headers.get('location')]).toEqual([400, null])
  })

  test('a loopback address may have any port', async () => {
    const { headers } = await ask({ redirect_uri: 'http://127.0.0.1:50123/callback' })
    expect(headers.get('location')).toMatch(/^\/consent\?/)
  })

  test('a client that nobody consented to is gone after a day', async () => {
    const agent = await registerAgent(reached)
    now += 86_400_000
    expect((await agent.send('GET', `/oauth/authorize?${agent.ask()}`)).body).toMatchObject({ error: 'invalid_client' })
    app.runtime.domain.background.kick()
    await app.runtime.domain.background.idle()
    now -= 86_400_000
    expect((await agent.send('GET', `/oauth/authorize?${agent.ask()}`)).status).toBe(400)
  })
})

describe('the page', () => {
  test('needs no console, and shows what a client says of itself as text', async () => {
    const agent = await registerAgent(reached, { client_name: '<script>alert(1)</script>' })
    const page = await openBrowser(app).call('GET', `/consent?${agent.ask()}`)
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
    )
    expect(page.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.body).not.toContain('<script>')
    expect(page.body).toContain('Sign in')
    const signedIn = (await ada.call('GET', `/consent?${agent.ask()}`)).body
    expect(signedIn).toContain('Allow')
    for (const [path] of signedIn.matchAll(/\/assets\/[\w.-]+/g)) {
      const asset = await app.call('GET', path)
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    }
  })

  test('is decided by the signed-in person alone, on the page itself', async () => {
    const agent = await registerAgent(reached)
    const body = { request: `${agent.ask()}`, allow: true }
    expect((await openBrowser(app).call('POST', '/consent', { body })).status).toBe(401)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await ada.call('POST', '/consent', { body, headers: foreign })).status).toBe(403)
    const { body: refused } = await agent.decide(ada, { allow: false })
    expect(Object.fromEntries(new URL(refused.location).searchParams)).toMatchObject({ error: 'access_denied' })
    const elsewhere = await agent.decide(ada, { namespace: 'not-mine' })
    expect(elsewhere.status).toBe(403)
    expect((await agent.decide(ada, { scope: 'a//b' })).status).toBe(400)
  })
})

describe('tokens', () => {
  test('come for a code, once, with the verifier', async () => {
    const agent = await registerAgent(reached)
    const code = await agent.codeOf(ada)
    for (const changes of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: 'http://127.0.0.1:1/callback' },
      { client_id: 'client_other' },
      { code: 'svc_ac_none' },
    ]) {
      expect((await agent.exchange(code, changes)).body, JSON.stringify(changes)).toMatchObject({
        error: 'invalid_grant',
      })
    }
    expect((await agent.exchange(code, { resource: 'http://localhost' })).body).toMatchObject({
      error: 'invalid_target',
    })
    const { status, headers, body } = await agent.exchange(code, { resource: 'http://localhost/mcp' })
    expect([status, headers.get('cache-control')]).toEqual([200, expect.stringContaining('no-store')])
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read write' })
    expect((await use(body.access_token, 'search', { query: 'lamp' })).structuredContent.results).toHaveLength(1)
    // Used twice: one of the two was not the client.
    expect((await agent.exchange(code)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await mcp(body.access_token)).status).toBe(401)
    const late = await agent.codeOf(ada)
    now += 61_000
    expect((await agent.exchange(late)).body).toMatchObject({ error: 'invalid_grant' })
  })

  test('live an hour, are rotated, and end when one is used again', async () => {
    const agent = await registerAgent(reached)
    const { access, refresh } = await agent.connect(ada)
    expect((await mcp(access)).status).toBe(200)
    now += 3_600_000
    expect((await mcp(access)).headers.get('www-authenticate')).toContain('error="invalid_token"')
    const { body: next } = await agent.refresh(refresh)
    expect((await mcp(next.access_token)).status).toBe(200)
    expect((await agent.refresh(refresh)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await mcp(next.access_token)).status).toBe(401)
    expect((await agent.refresh(next.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
    const last = (await auditOf(ada, 'agent.revoke'))[0]
    expect(last.detail).toMatchObject({ client: agent.clientId, reason: 'a token was used twice' })
  })

  test('of many parallel refreshes one wins, or none does', async () => {
    const agent = await registerAgent(reached)
    const { refresh } = await agent.connect(ada)
    const answers = await Promise.all(Array.from({ length: 8 }, () => agent.refresh(refresh)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await connections(ada)).some(({ clientId }: { clientId: string }) => clientId === agent.clientId)).toBe(
      false,
    )
  })

  test('open /mcp alone', async () => {
    const { access, refresh } = await (await registerAgent(reached)).connect(ada)
    for (const [method, path] of [
      ['GET', '/v1/context'],
      ['POST', '/v1/search'],
      ['POST', '/graphql'],
    ] as const) {
      const body = path === '/graphql' ? { query: '{ context { perms } }' } : path === '/v1/search' ? { q: 'x' } : null
      const { status } = await app.call(method, path, { token: access, ...(body && { body }) })
      expect(status, path).toBe(401)
    }
    expect((await mcp(refresh)).status).toBe(401)
  })
})

describe('a connection', () => {
  test('does what the person may at the time of use, less what the person took away', async () => {
    const agent = await registerAgent(reached)
    const { access } = await agent.connect(ada)
    const whoami = (await use(access, 'whoami')).structuredContent
    expect(whoami.context.perms).toEqual(['read', 'write'])
    const written = await use(access, 'ingest_text', { text: 'A gull.', scope: 'default/main' })
    const [{ unit_id: id }] = written.structuredContent.units
    expect((await auditOf(ada, 'units.ingest'))[0].detail).toMatchObject({ via: 'mcp', client: agent.clientId })
    expect((await use(access, 'delete_units', { ids: [id] })).structuredContent).toMatchObject({ tombstoned: 1 })

    const elsewhere = await agent.connect(ada, { scope: 'default/other' })
    expect((await use(elsewhere.access, 'search', { query: 'lamp' })).structuredContent.results).toEqual([])
    const home = whoami.context.principal.namespace
    const bound = await agent.connect(ada, { namespace: home })
    expect((await mcp(bound.access)).status).toBe(200)
    expect((await mcp(bound.access, message('ping'), { 'x-svc-namespace': 'elsewhere' })).status).toBe(403)
  })

  test('counts as an agent', async () => {
    const { access } = await (await registerAgent(reached)).connect(ada)
    const close = (readOnlyAgents: boolean) =>
      ada.graphql(
        `mutation { updateScope(scope: "default/main", input: { readOnlyAgents: ${readOnlyAgents} }) { scope } }`,
      )
    await close(true)
    expect((await mcp(access, message('tools/list'))).body).not.toContain('ingest_text')
    expect((await use(access, 'ingest_text', { text: 'x', scope: 'default/main' })).isError).toBe(true)
    await close(false)
    expect((await use(access, 'ingest_text', { text: 'x', scope: 'default/main' })).isError).toBeUndefined()
  })

  test('that only reads may ask for more', async () => {
    const agent = await registerAgent(reached)
    const { access } = await agent.connect(ada, { readOnly: true })
    const call = message('tools/call', { name: 'ingest_text', arguments: { text: 'x', scope: 'default/main' } })
    const { status, headers, body } = await mcp(access, call)
    expect([status, body.error]).toEqual([403, 'forbidden'])
    expect(headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp", scope="read write", error="insufficient_scope"',
    )
    await expect
      .poll(() => auditOf(ada, 'request.refused'))
      .toContainEqual(
        expect.objectContaining({ detail: expect.objectContaining({ via: 'mcp', client: agent.clientId }) }),
      )
    expect((await use(access, 'search', { query: 'lamp' })).structuredContent.results.length).toBeGreaterThan(0)
  })

  test('is listed and ended by its person alone', async () => {
    const agent = await registerAgent(reached)
    const { access } = await agent.connect(ada, { readOnly: true, scope: 'default/main' })
    await mcp(access)
    const mine = (await connections(ada)).find(({ clientId }: { clientId: string }) => clientId === agent.clientId)
    expect(mine).toEqual({
      ...{ id: expect.any(String), clientId: agent.clientId, clientName: 'Notebook agent', perms: ['read'] },
      ...{ namespace: null, scopePrefix: 'default/main', createdAt: now, lastUsedAt: now },
    })
    expect((await auditOf(ada, 'agent.connect'))[0]).toMatchObject({ target: mine.id, detail: { perms: 'read' } })
    const revoke = (browser: Browser, id: string) =>
      browser.graphql(`mutation { revokeAgentConnection(id: ${JSON.stringify(id)}) { id revoked } }`)
    const eve = openBrowser(app)
    await eve.signUp('eve@example.com')
    expect(await connections(eve)).toEqual([])
    expect((await revoke(eve, mine.id)).body.errors[0].extensions.code).toBe('not_found')
    const { body } = await ada.graphql('mutation { createApiKey(input: { name: "k" }) { token } }')
    const byKey = await app.graphql('{ agentConnections { id } }', {}, { token: body.data.createApiKey.token })
    expect(byKey.body.errors[0].extensions.code).toBe('forbidden')
    expect((await revoke(ada, mine.id)).body.data.revokeAgentConnection).toEqual({ id: mine.id, revoked: true })
    expect((await mcp(access)).status).toBe(401)
  })
})
