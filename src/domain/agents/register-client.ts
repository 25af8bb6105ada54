import { z } from 'zod'
import { OauthError } from '../../model/oauth.ts'
import type { OauthClient } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { redirectProblem } from './redirect-uri.ts'

/** The part of a client's metadata (RFC 7591) that counts here; the rest is ignored. */
const metadata = z.object({
  redirect_uris: z.array(z.string().max(2048)).min(1).max(10),
  client_name: z.string().max(1024).optional(),
  application_type: z.enum(['native', 'web']).default('native'),
})

const maxName = 64
/** Strangers register clients: of those that nobody consented to, this many are kept. */
const maxUnconsented = 10_000

export const unconsentedMs = 86_400_000

/** Registers a public client, whatever else it asks to be. Throws an `OauthError`. */
export async function registerClient(
  { catalog, clock, random }: Pick<Bindings, 'catalog' | 'clock' | 'random'>,
  given: unknown,
): Promise<OauthClient> {
  const read = metadata.safeParse(given)
  if (!read.success) {
    const place = String(read.error.issues[0]?.path[0] ?? 'body')
    const code = place === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    throw new OauthError(code, `${place}: ${expected[place] ?? 'must be a JSON object of client metadata'}`)
  }
  const { redirect_uris: redirectUris, application_type: applicationType, client_name = '' } = read.data
  for (const [i, uri] of redirectUris.entries()) {
    const problem = redirectProblem(uri, applicationType)
    if (problem !== null) throw new OauthError('invalid_redirect_uri', `redirect_uris[${i}]: ${problem}`)
  }
  const name = plain(client_name) || 'Unnamed client'
  const client: OauthClient = {
    id: random.id('client'),
    ...{ name, redirectUris, applicationType },
    createdAt: clock.now(),
    consentedAt: null,
  }
  await catalog.agents.insertClient(client, maxUnconsented)
  return client
}

const expected: Readonly<Record<string, string>> = {
  redirect_uris: 'must be a list of 1 to 10 addresses of at most 2,048 characters',
  client_name: 'must be a text of at most 1,024 characters',
  application_type: 'must be native or web',
}

/** One short line without characters that change how the text around it is shown. */
const plain = (name: string): string =>
  [
    ...name
      .toWellFormed()
      .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
      .trim(),
  ]
    .slice(0, maxName)
    .join('')

/** A registered client. Null for an unknown one, and for one that waited too long. */
export async function findClient(
  { catalog, clock }: Pick<Bindings, 'catalog' | 'clock'>,
  id: string,
): Promise<OauthClient | null> {
  const client = await catalog.agents.client(id)
  const isLate = client?.consentedAt === null && client.createdAt + unconsentedMs <= clock.now()
  return isLate ? null : client
}
