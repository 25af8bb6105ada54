import { z } from 'zod'
import { RefusedError } from '../../../model/operator-error.ts'
import type { Client } from './client.ts'

const context = z.object({
  context: z.object({
    activeScope: z.string(),
    requestedScope: z.string(),
    effectiveScopes: z.array(z.string()),
    perms: z.array(z.string()),
  }),
})
const query = '{ context { activeScope requestedScope effectiveScopes perms } }'

/** The scope where the Units go, as the service decides it for Units that name none. */
export async function scopeOf(client: Client, wanted: string | undefined, clientIn: (scope: string) => Client) {
  const { context: caller } = await client.ask(context, query, {})
  if (wanted !== undefined && wanted !== '*') return wanted
  if (caller.activeScope !== '*') return caller.activeScope
  const writable: string[] = []
  for (const scope of caller.effectiveScopes) {
    const { context: there } = await clientIn(scope).ask(context, query, {})
    if (there.perms.includes('write')) writable.push(scope)
  }
  const [only, ...others] = writable
  if (only !== undefined && others.length === 0) return only
  const named = writable.length === 0 ? '' : `: ${writable.slice(0, 20).join(', ')}`
  throw new RefusedError(`--scope is needed; name one that you may write${named}`)
}
