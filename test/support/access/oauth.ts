import { createHash, randomBytes } from 'node:crypto'
import type { Browser } from './browser.ts'

/** Where a service is, and how to reach it: over HTTP or without a socket. */
export interface Reached {
  base: string
  fetch(request: Request): Promise<Response>
}

export const redirectUri = 'http://127.0.0.1:4711/callback'

interface Decision {
  allow?: boolean
  namespace?: string
  scope?: string
  readOnly?: boolean
}

/** A client of a person's agent, by plain requests. */
export async function registerAgent({ base, fetch }: Reached, metadata: Record<string, unknown> = {}) {
  const send = async (method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) => {
    const response = await fetch(
      new Request(`${base}${path}`, { method, headers, body: body ?? null, redirect: 'manual' }),
    )
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  const given = { client_name: 'Notebook agent', redirect_uris: [redirectUri], ...metadata }
  const registered = await send('POST', '/oauth/register', JSON.stringify(given), {
    'content-type': 'application/json',
  })
  const clientId: string = registered.body.client_id
  const verifier = randomBytes(32).toString('base64url')
  const ask = (changes: Record<string, string | undefined> = {}) => {
    const parameters = new URLSearchParams()
    const all = {
      ...{
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        state: 'st ate',
        scope: 'read write',
      },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      ...{ code_challenge_method: 'S256', resource: `${base}/mcp`, ...changes },
    }
    for (const [name, value] of Object.entries(all)) if (value !== undefined) parameters.set(name, value)
    return parameters
  }
  const token = (parameters: Record<string, string | undefined>) => {
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries({ client_id: clientId, ...parameters }))
      if (value !== undefined) form.set(name, value)
    return send('POST', '/oauth/token', form.toString(), { 'content-type': 'application/x-www-form-urlencoded' })
  }
  const exchange = (code: string, changes: Record<string, string | undefined> = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, ...changes })
  /** What the page's script sends; returns the answer. */
  const decide = (browser: Browser, { allow = true, ...rest }: Decision = {}, parameters = ask()) =>
    browser.call('POST', '/consent', {
      headers: { host: new URL(base).host },
      body: { request: `${parameters}`, allow, ...rest },
    })
  const codeOf = async (browser: Browser, decision: Decision = {}, changes: Record<string, string> = {}) => {
    const { body } = await decide(browser, decision, ask(changes))
    return new URL(body.location).searchParams.get('code') ?? ''
  }
  return {
    ...{ registered, clientId, verifier, send, ask, token, exchange, decide, codeOf },
    refresh: (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token }),
    /** An access token that this person allows. */
    connect: async (browser: Browser, decision: Decision = {}): Promise<{ access: string; refresh: string }> => {
      const { body } = await exchange(await codeOf(browser, decision))
      return { access: body.access_token, refresh: body.refresh_token }
    },
  }
}
