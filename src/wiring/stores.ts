import { join } from 'node:path'
import type { PrismaCatalog } from '../adapters/catalog/catalog.ts'
import { createConsoleSessions } from '../adapters/identity/console-sessions.ts'
import { noSessions } from '../adapters/identity/no-sessions.ts'
import { keptSecret } from '../adapters/identity/secret.ts'
import { createMemoryKeyValue } from '../adapters/kv/memory-key-value.ts'
import { createSharedCounter } from '../adapters/kv/shared-counter.ts'
import { consoleMailer, createWebhookMailer } from '../adapters/mail/mailers.ts'
import type { Config } from '../config.ts'
import type { Log } from '../model/log.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { ConsoleSessions } from '../ports/access/sessions.ts'
import type { Catalog } from '../ports/catalog.ts'
import type { Mailer } from '../ports/mail.ts'
import type { Counter, KeyValue } from '../ports/stores/key-value.ts'
import { observedMailer } from './observed.ts'

export async function keyValueOf({ keyValue, brand }: Config, log: Log): Promise<KeyValue> {
  if (keyValue.kind === 'memory') return createMemoryKeyValue()
  const { createRedisKeyValue } = await import('../adapters/kv/redis-key-value.ts')
  return createRedisKeyValue({ url: keyValue.url, prefix: `${brand}:` }, log)
}

/** What replicas share: Redis, else a server's catalog. While that is away, each process counts alone. */
export function requestCounterOf(config: Config, catalog: Catalog, keyValue: KeyValue): Counter {
  const here = createMemoryKeyValue()
  if (config.keyValue.kind === 'redis') return createSharedCounter(keyValue, here)
  return catalog.engine === 'postgresql' ? createSharedCounter(catalog.requests, here) : here
}

/** Sign-in stores its tables in the catalog's database, so the catalog must have one. */
export async function sessionsOf(
  config: Config,
  catalog: Catalog | PrismaCatalog,
  keyValue: KeyValue,
  { log, telemetry }: { log: Log; telemetry: Telemetry },
  listenedAt: () => string,
): Promise<ConsoleSessions> {
  const { signIn, brand, allowedOrigins, dataDir } = config
  if (signIn.kind === 'off' || !('client' in catalog)) return noSessions
  const secret = signIn.secret ?? (await keptSecret(join(dataDir, 'secrets'), 'auth-secret'))
  const attempts = config.keyValue.kind === 'memory' ? null : createSharedCounter(keyValue, createMemoryKeyValue())
  const mailer = await mailerOf(config.mail)
  const sessions = createConsoleSessions(catalog.client, {
    ...{ brand, secret, signIn, allowedOrigins, attempts, log },
    originNow: () => signIn.publicOrigin ?? listenedAt(),
    mailer: mailer && observedMailer(telemetry, mailer, config.mail.kind),
  })
  return {
    ...sessions,
    handle: async (request, remoteAddress, isInvited) => {
      if (request.method === 'POST') catalog.requireSpace()
      return sessions.handle(request, remoteAddress, isInvited)
    },
  }
}

/** Null: no mails are sent. */
async function mailerOf(mail: Config['mail']): Promise<Mailer | null> {
  if (mail.kind === 'off') return null
  if (mail.kind === 'console') return consoleMailer
  if (mail.kind === 'webhook') return createWebhookMailer(mail.url)
  // Loaded only where it is needed.
  const { createSmtpMailer } = await import('../adapters/mail/smtp-mailer.ts')
  return createSmtpMailer(mail)
}
