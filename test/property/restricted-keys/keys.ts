import { hiddenCounts, type KeyRestrictions, permissions } from '../../../src/model/registry.ts'
import { planes } from '../../../src/model/unit.ts'
import { apiKeysOf } from '../../support/access/api-keys.ts'
import type { Draw } from '../draw.ts'
import { type Actor, scopePool, type World } from './world.ts'

export interface Restricted extends KeyRestrictions {
  expiresAt?: number
}
export type Restriction = keyof Restricted

/** A credential with the restrictions that it must never exceed. */
export interface Credential {
  actor: Actor
  token: string
  kept: Restricted
}

/** Later than the end of the run, but not unlimited. */
const end = () => Date.now() + 3_600_000

const drawn: Record<Restriction, (draw: Draw, actor: Actor) => Restricted> = {
  perms: (draw) => ({ perms: draw.chance(30) ? permissions : some(draw, permissions) }),
  scopePrefix: (draw) => ({ scopePrefix: draw.pick(scopePool) }),
  planes: (draw) => ({ planes: some(draw, planes) }),
  groups: (draw, { groups }) => ({ groups: draw.chance(30) ? groups : draw.some(groups) }),
  hiddenCount: (draw) => ({ hiddenCount: draw.pick(hiddenCounts) }),
  expiresAt: () => ({ expiresAt: end() }),
}
const restrictions = Object.keys(drawn) as Restriction[]

const some = <T>(draw: Draw, list: readonly T[]): T[] => [...new Set([...draw.some(list), draw.pick(list)])]

/** Creates a key of the actor with these restrictions. */
export async function mintKey({ app }: World, draw: Draw, actor: Actor, which: readonly Restriction[]) {
  const kept: Restricted = Object.assign({}, ...which.map((one) => drawn[one](draw, actor)))
  const { mint } = apiKeysOf(app)
  const { token } = await mint(actor.token, kept)
  // The same must hold for a key that inherits everything.
  const heir = draw.chance(25) ? await mint(token) : { token }
  return { actor, token: heir.token, kept } satisfies Credential
}

/** Draws at least one restriction; for an agent none is enough, because an agent is always restricted. */
export function drawRestrictions(draw: Draw, { kind }: Actor): Restriction[] {
  const which = draw.some(restrictions, 3)
  return which.length > 0 || kind === 'agent' ? which : [draw.pick(restrictions)]
}
