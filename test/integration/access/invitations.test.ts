import { createServer, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser, password } from '../../support/access/browser.ts'
import { type OidcProvider, startOidcProvider } from '../../support/access/oidc-provider.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
import { listen, shut } from '../../support/process/local-http.ts'

const day = 24 * 3_600_000
let app: TestApp
let owner: string
let now = 1_900_000_000_000
let mailHook: Server
let mail: { kind: 'webhook'; url: string }
const mails: { to: string; url: string }[] = []
const publicOrigin = 'http://localhost'
/** Links in mails of one app work at the other. */
const secret = 'a secret of more than 32 characters'

beforeAll(async () => {
  mailHook = createServer(async (request, response) => {
    mails.push((await json(request)) as (typeof mails)[number])
    response.end()
  })
  mail = { kind: 'webhook', url: await listen(mailHook) }
  app = await boot({
    config: { signIn: signInWith({ publicOrigin, secret }), mail },
    bindings: { clock: { now: () => now } },
  })
  const grants = [{ scope: '*', perms: ['read', 'write', 'admin'] as const }]
  owner = await app.principal({ id: 'boss', namespace: 'crew', groups: ['deck'], grants })
  for (const scope of ['ship', 'ship/hold']) await app.call('POST', '/v1/scopes', { token: owner, body: { scope } })
})
afterAll(async () => {
  await app.close()
  await shut(mailHook)
})

interface Asked {
  scope?: string
  perms?: string[]
  groups?: string[]
  email?: string
  expiresAt?: number
}

const create = (asked: Asked, options: CallOptions = { token: owner }) =>
  app.graphql(
    'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { url invitation { id state expiresAt email } } }',
    { input: { scope: 'ship', perms: ['read'], ...asked } },
    options,
  )
async function made(asked: Asked = {}, options?: CallOptions): Promise<{ token: string; id: string }> {
  const { body } = await create(asked, options)
  const { url, invitation } = body.data.createInvitation
  return { token: url.slice(url.indexOf('#') + 1), id: invitation.id }
}
const accept = (token: string, options: CallOptions) =>
  app.graphql(
    'mutation ($t: String!) { acceptInvitation(token: $t) { id scope perms groups namespace grantedBy expiresAt } }',
    { t: token },
    options,
  )
const offer = (token: string) =>
  app.graphql('query ($t: String!) { invitation(token: $t) { namespace scope perms createdBy expiresAt } }', {
    t: token,
  })
const codeOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code
const revoke = (id: string) =>
  app.graphql('mutation ($id: String!) { revokeInvitation(id: $id) { id revoked } }', { id }, { token: owner })

let people = 0
/** A person of another home. */
const person = () => {
  people += 1
  return app.principal({ id: `guest${people}`, namespace: `away${people}`, grants: [{ scope: '*', perms: ['read'] }] })
}

const acceptAs = (browser: Browser, token: string) =>
  browser.graphql(`mutation { acceptInvitation(token: "${token}") { namespace } }`)

/** Opens the link in the mail, as its reader does. */
async function openMail(address: string): Promise<void> {
  const sent = () => mails.find(({ to }) => to === address)?.url
  await expect.poll(sent).toBeDefined()
  const { pathname, search } = new URL(sent() ?? '')
  await app.call('GET', `${pathname}${search}`)
}

async function signInBy(provider: OidcProvider, at: TestApp, person: Omit<OidcProvider['person'], 'name'>) {
  provider.person = { ...person, name: 'Someone' }
  const browser = openBrowser(at)
  const body = { provider: 'oidc', callbackURL: '/' }
  const { url } = (await browser.call('POST', '/api/auth/sign-in/social', { body })).body
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
  const arrived = await browser.call('GET', `${back.pathname}${back.search}`, { headers: { origin: 'null' } })
  expect(arrived.headers.get('location')).toBe('/')
  return browser
}

describe('an invitation', () => {
  it('gives what it says to the person who accepts it, once, and is recorded', async () => {
    const { body } = await create({ groups: ['deck'], perms: ['read', 'write'] })
    const { url, invitation } = body.data.createInvitation
    expect(url).toMatch(/^\/join#svc_inv_[0-9A-Za-z]{32}$/)
    expect(invitation).toMatchObject({ state: 'open', expiresAt: now + 7 * day, email: null })
    const token = url.split('#')[1]
    expect((await offer(token)).body.data.invitation).toEqual({
      namespace: 'crew',
      scope: 'ship',
      perms: ['read', 'write'],
      createdBy: 'boss',
      expiresAt: now + 7 * day,
    })
    const guest = await person()
    const answer = (await accept(token, { token: guest })).body.data.acceptInvitation
    expect(answer).toMatchObject({
      scope: 'ship',
      perms: ['read', 'write'],
      groups: ['deck'],
      namespace: 'crew',
      grantedBy: 'boss',
      expiresAt: null,
    })
    const context = await app.call('GET', '/v1/context', { token: guest, namespace: 'crew', scope: 'ship/hold' })
    expect(context.body.perms).toEqual(['read', 'write'])
    expect(codeOf(await accept(token, { token: guest }))).toBe('not_found')
    expect(codeOf(await accept(token, { token: await person() }))).toBe('not_found')
    const list = await app.graphql(
      '{ invitations { invitations { id state acceptedBy } } audit(limit: 20) { rows { action target principalId } } }',
      {},
      { token: owner },
    )
    expect(list.body.data.invitations.invitations).toContainEqual({
      id: invitation.id,
      state: 'accepted',
      acceptedBy: `guest${people - 1}`,
    })
    expect(JSON.stringify(list.body)).not.toContain(token)
    const rows = list.body.data.audit.rows.filter((row: { target: string }) => row.target === invitation.id)
    expect(rows).toEqual([
      { action: 'invitation.accept', target: invitation.id, principalId: `guest${people - 1}` },
      { action: 'invitation.create', target: invitation.id, principalId: 'boss' },
    ])
  })

  it('is accepted once, however many accept it at the same time', async () => {
    const { token } = await made()
    const guests = await Promise.all([1, 2, 3, 4].map(person))
    const answers = await Promise.all(guests.map((guest) => accept(token, { token: guest })))
    expect(answers.map(codeOf).toSorted()).toEqual(['not_found', 'not_found', 'not_found', undefined])
  })

  it('gives one and the same error for every token that does not work', async () => {
    const guest = await person()
    const [revoked, expired, used, gone] = [
      await made(),
      await made({ expiresAt: now + 1 }),
      await made(),
      await made({ email: 'someone@example.com' }),
    ]
    expect((await revoke(revoked.id)).body.data.revokeInvitation).toEqual({ id: revoked.id, revoked: true })
    expect(codeOf(await revoke(revoked.id))).toBe('not_found')
    await accept(used.token, { token: await person() })
    now += 1
    const public_ = await Promise.all(
      ['', 'x', `svc_inv_${'a'.repeat(32)}`, revoked.token, expired.token, used.token].map(offer),
    )
    const errors = public_.map(({ body }) => JSON.stringify([body.errors[0].message, body.errors[0].extensions.code]))
    expect(new Set(errors).size).toBe(1)
    const refused = await Promise.all(
      ['', revoked.token, expired.token, used.token, gone.token].map((token) => accept(token, { token: guest })),
    )
    expect(new Set(refused.map(({ body }) => body.errors[0].message)).size).toBe(1)
    expect(refused.map(codeOf)).toEqual(Array(5).fill('not_found'))
    expect(JSON.stringify((await offer(gone.token)).body)).not.toContain('someone')
  })

  it('is void when its maker could not make it any more', async () => {
    const all = ['read', 'write', 'admin'] as const
    const grants = [{ scope: '*', perms: all }]
    const second = await app.principal({ id: 'mate', namespace: 'crew', grants })
    const { token } = await made({ scope: 'ship' }, { token: second })
    expect(codeOf(await create({ groups: ['deck'] }, { token: second }))).toBe('forbidden')
    const ids = (await app.call('GET', '/v1/grants', { token: owner })).body.grants
    const { id } = ids.find((grant: { principal_id: string }) => grant.principal_id === 'mate')
    await app.call('DELETE', `/v1/grants/${id}`, { token: owner })
    expect(codeOf(await offer(token))).toBe('not_found')
    expect(codeOf(await accept(token, { token: await person() }))).toBe('not_found')
    const deleted = await app.principal({ id: 'cook', namespace: 'crew', grants })
    const orphan = await made({}, { token: deleted })
    expect((await offer(orphan.token)).body.data.invitation.createdBy).toBe('cook')
    await app.call('DELETE', '/v1/principals/cook', { token: owner })
    expect(codeOf(await offer(orphan.token))).toBe('not_found')
  })

  it('ends with its scope', async () => {
    await app.call('POST', '/v1/scopes', { token: owner, body: { scope: 'raft' } })
    const { token } = await made({ scope: 'raft' })
    await app.call('DELETE', '/v1/scopes/raft', { token: owner })
    await app.call('POST', '/v1/scopes', { token: owner, body: { scope: 'raft' } })
    expect(codeOf(await accept(token, { token: await person() }))).toBe('not_found')
  })

  it('gives at most what the key may give that made it; restricted keys, agents and the super-admin cannot accept it', async () => {
    const restrict = async (input: string) =>
      (await app.graphql(`mutation { createApiKey(input: { name: "k", ${input} }) { token } }`, {}, { token: owner }))
        .body.data.createApiKey.token
    const narrow = await restrict('perms: [read, admin]')
    expect(codeOf(await create({ perms: ['write'] }, { token: narrow }))).toBe('forbidden')
    expect((await create({}, { token: narrow })).body.errors).toBeUndefined()
    for (const input of ['planes: [text]', 'groups: []', 'scopePrefix: "ship"', 'perms: [read]'])
      expect(codeOf(await create({}, { token: await restrict(input) }))).toBe('forbidden')
    const ending = await restrict(`expiresAt: ${now + day}`)
    expect(codeOf(await create({ expiresAt: now + 2 * day }, { token: ending }))).toBe('forbidden')
    const short = await made({}, { token: ending })
    expect((await offer(short.token)).body.data.invitation.expiresAt).toBe(now + day)
    expect((await accept(short.token, { token: await person() })).body.data.acceptInvitation.expiresAt).toBe(now + day)
    for (const expiresAt of [now, now + 7 * day + 1]) expect(codeOf(await create({ expiresAt }))).toBe('bad_request')
    const { token } = await made()
    const agent = await app.principal({
      id: 'bot',
      namespace: 'bots',
      kind: 'agent',
      grants: [{ scope: '*', perms: ['read'] }],
    })
    for (const given of [narrow, agent, superAdminToken])
      expect(codeOf(await accept(token, { token: given }))).toBe('forbidden')
    const readOnly = await app.principal({
      id: 'looker',
      namespace: 'crew',
      readOnly: true,
      grants: [{ scope: '*', perms: ['read', 'admin'] }],
    })
    expect(codeOf(await create({}, { token: readOnly }))).toBe('forbidden')
  })

  it('for an address lets that person alone sign up where sign-up is closed, and accept', async () => {
    const { token } = await made({ email: 'Ada@Example.com' })
    const anyone = await made()
    await withVariant(app, { signIn: signInWith({ signUp: 'closed', secret }), mail }, async (closed) => {
      const browser = openBrowser(closed)
      const signUp = (email: string, headers: Record<string, string>) =>
        browser.call('POST', '/api/auth/sign-up/email', {
          headers,
          body: { name: 'Ada', email, password: 'correct horse battery' },
        })
      expect((await signUp('ada@example.com', {})).status).toBe(403)
      expect((await signUp('ada@example.com', { 'x-invited-address': 'ada@example.com' })).status).toBe(403)
      expect((await signUp('eve@example.com', { 'x-svc-invitation': token })).status).toBe(403)
      expect((await signUp('eve@example.com', { 'x-svc-invitation': anyone.token })).status).toBe(403)
      expect((await signUp('ada@example.com', { 'x-svc-invitation': `${token}x` })).status).toBe(403)
      expect((await signUp('ADA@example.com', { 'x-svc-invitation': token })).status).toBe(200)
    })
    const ada = openBrowser(app)
    expect((await ada.signIn('ada@example.com', 'correct horse battery')).status).toBe(403)
    await openMail('ada@example.com')
    await ada.signIn('ada@example.com', 'correct horse battery')
    const eve = openBrowser(app)
    await eve.signUp('eve@example.com')
    await openMail('eve@example.com')
    await eve.signIn('eve@example.com')
    expect(codeOf(await acceptAs(eve, token))).toBe('not_found')
    expect((await acceptAs(ada, token)).body.data.acceptInvitation).toEqual({ namespace: 'crew' })
  })

  it('for an address is not made where nothing proves an address, and one from before is for nobody there', async () => {
    const { token } = await made({ email: 'frank@example.com' })
    await withVariant(app, { signIn: signInWith({ signUp: 'closed' }), mail: { kind: 'off' } }, async (closed) => {
      const headers = { 'x-svc-invitation': token }
      const body = { name: 'Frank', email: 'frank@example.com', password }
      expect((await openBrowser(closed).call('POST', '/api/auth/sign-up/email', { headers, body })).status).toBe(403)
    })
    await withVariant(app, { signIn: signInWith(), mail: { kind: 'off' } }, async (open) => {
      const refused = await open.graphql(
        'mutation { createInvitation(input: { scope: "ship", perms: [read], email: "x@example.com" }) { url } }',
        {},
        { token: owner },
      )
      expect(codeOf(refused)).toBe('bad_request')
      expect(refused.body.errors[0].message).toMatch(/^email: .*SMTP_URL, MAIL_WEBHOOK_URL or OIDC_ISSUER/)
      const anyone = 'mutation { createInvitation(input: { scope: "ship", perms: [read] }) { url } }'
      expect((await open.graphql(anyone, {}, { token: owner })).body.errors).toBeUndefined()
      const squatter = openBrowser(open)
      expect((await squatter.signUp('frank@example.com')).status).toBe(200)
      expect(codeOf(await acceptAs(squatter, token))).toBe('not_found')
    })
  })

  it('for an address is for the person of whom the identity provider says that it is verified', async () => {
    const provider = await startOidcProvider()
    const signIn = signInWith({ publicOrigin, oidc: provider })
    await withVariant(app, { signIn, mail: { kind: 'off' } }, async (federated) => {
      const [first, second] = [await made({ email: 'gwen@example.com' }), await made({ email: 'hank@example.com' })]
      const gwen = await signInBy(provider, federated, { sub: '1', email: 'gwen@example.com', email_verified: true })
      const hank = await signInBy(provider, federated, { sub: '2', email: 'hank@example.com', email_verified: false })
      expect(codeOf(await acceptAs(hank, second.token))).toBe('not_found')
      expect(codeOf(await acceptAs(gwen, second.token))).toBe('not_found')
      expect((await acceptAs(gwen, first.token)).body.data.acceptInvitation).toEqual({ namespace: 'crew' })
      const ivy = openBrowser(federated)
      await ivy.signUp('ivy@example.com')
      const third = await made({ email: 'ivy@example.com' })
      expect(codeOf(await acceptAs(ivy, third.token))).toBe('not_found')
    })
    await provider.close()
  })

  it('has a bound for open ones', async () => {
    const grants = [{ scope: '*', perms: ['read', 'write', 'admin'] as const }]
    const token = await app.principal({ id: 'host', namespace: 'inn', grants })
    const fields = Array.from(
      { length: 10 },
      (_, i) => `i${i}: createInvitation(input: { scope: "*", perms: [read] }) { url }`,
    )
    for (let i = 0; i < 10; i++)
      expect((await app.graphql(`mutation { ${fields.join(' ')} }`, {}, { token })).body.errors).toBeUndefined()
    expect(codeOf(await create({ scope: '*' }, { token }))).toBe('bad_request')
  })
})
