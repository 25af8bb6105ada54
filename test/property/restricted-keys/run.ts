import type { Draw } from '../draw.ts'
import type { RootField } from '../graphql-draw.ts'
import { type Deed, violations } from './check.ts'
import type { Credential } from './keys.ts'
import { drawRequest } from './request.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import type { World } from './world.ts'

export interface Outcome {
  deed: Deed
  found: string[]
}

/** Sends a request with the credential, and compares the world before and after. */
export async function attempt(world: World, draw: Draw, by: Credential, field: RootField): Promise<Outcome> {
  const before = await takeSnapshot(world)
  const request = drawRequest(draw, { world, seen: before }, field)
  const { query, variables, scope } = request
  const headers: Record<string, string> = field.kind === 'subscription' ? { accept: 'text/event-stream' } : {}
  const reply = await world.app.graphql(query, variables, { token: by.token, headers, ...(scope && { scope }) })
  await world.app.runtime.domain.documentRuns.idle()
  await world.app.runtime.domain.background.idle()
  const { exportAudit, sourceLink } = reply.body.data ?? {}
  const url = exportAudit?.url ?? sourceLink?.url
  const exported = url ? String((await world.app.call('GET', url)).body) : ''
  const deed = { by, request, reply, before, after: await takeSnapshot(world), exported }
  return { deed, found: violations(deed) }
}

/** Whether no actor was deleted: an admin's key may do that. */
export const hasActors = ({ actors }: World, { principals }: Snapshot): boolean =>
  actors.every(({ id }) => principals.has(id))

/** Whether the world still has enough data, and room for more keys. */
export async function isRich(world: World): Promise<boolean> {
  const snapshot = await takeSnapshot(world)
  const { units, scopes, grants, principals, tokens, evaluation } = snapshot
  const isWhole = units.size > 12 && scopes.size > 4 && grants.size > 3 && principals.size > 3 && evaluation.size > 1
  return isWhole && hasActors(world, snapshot) && units.size < 80 && tokens.size < 80
}

export function describeDeed({ deed: { by, request, reply }, found }: Outcome): string {
  const { actor, kept } = by
  return [
    `${actor.id} with ${JSON.stringify(kept)}: ${found.join('; ')}`,
    `${request.query.slice(0, 200)} ${JSON.stringify(request.variables)} scope ${request.scope}`,
    JSON.stringify(reply.body).slice(0, 600),
  ].join('\n')
}
