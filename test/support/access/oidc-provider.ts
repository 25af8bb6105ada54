import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen, shut } from '../process/local-http.ts'

/** The identity that the provider returns. */
export interface OidcPerson {
  sub: string
  email: string
  email_verified: boolean
  name: string
}

export interface OidcProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** The person who signs in next. */
  person: OidcPerson
  /** Signs ID tokens with an unpublished key. */
  forges: boolean
  close(): Promise<void>
}

/** An OpenID Connect provider on this machine: `person` is already signed in. */
export async function startOidcProvider(): Promise<OidcProvider> {
  const published = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const secret = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { nonce: string | null; person: OidcPerson }>()
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.writeHead(500).end(),
    )
  })
  const issuer = await listen(server)
  const provider: OidcProvider = {
    issuer,
    clientId: 'console',
    clientSecret: 'secret-of-the-console',
    person: { sub: '1', email: 'grace@example.com', email_verified: true, name: 'Grace' },
    forges: false,
    close: () => shut(server),
  }

  async function answer(request: IncomingMessage) {
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === '/.well-known/openid-configuration') {
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    }
    if (url.pathname === '/jwks') {
      return json({ keys: [{ ...published.publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }] })
    }
    if (url.pathname === '/authorize') {
      const code = randomUUID()
      codes.set(code, { nonce: url.searchParams.get('nonce'), person: provider.person })
      const back = new URL(url.searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      return { status: 302, headers: { location: back.href }, body: '' }
    }
    const form = new URLSearchParams(await text(request))
    const granted = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    if (url.pathname !== '/token' || !granted || !form.get('code_verifier')) return { ...json({}), status: 400 }
    return json({ access_token: `access-${randomUUID()}`, token_type: 'Bearer', id_token: idToken(granted) })
  }

  function idToken({ nonce, person }: { nonce: string | null; person: OidcPerson }): string {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: provider.clientId, iat: now, exp: now + 60, nonce, ...person }
    const signed = [{ alg: 'RS256', kid: '1', typ: 'JWT' }, claims].map(base64url).join('.')
    const key = provider.forges ? secret.privateKey : published.privateKey
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`
  }
  return provider
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const json = (body: object) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
