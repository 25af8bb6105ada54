import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { once } from '../../model/once.ts'
import { type Permission, permissions } from '../../model/registry.ts'
import { Session } from '../../model/session.ts'
import type { TierName } from '../../model/tiers.ts'
import type { Provisioner } from '../../ports/catalog.ts'
import { enter } from '../access/gate.ts'
import { mintToken, tokenHash } from '../access/tokens.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { label, parse, text } from '../input/parse.ts'
import { unitInput } from '../units/unit-input.ts'

/** The demo namespace's scopes; every seed Unit is in one of them. */
export const seedScopes = ['harbor/backend', 'harbor/frontend', 'harbor/finance', 'harbor/general'] as const

/** The groups of the seeded principals. */
export const seedGroups = ['backend', 'general', 'finance'] as const

/** The files behind some of the Units, so that their places can be opened. Our own, and small. */
export const seedFiles = {
  '2025-10-09-minutes.md': 'text/markdown',
  'announcement.de.wav': 'audio/wav',
  'announcement.fr.vtt': 'text/vtt',
  'dunlin-pack-b-thermal.png': 'image/png',
  'telemetry-gateway.log': 'text/plain',
  'winter-2025.pdf': 'application/pdf',
} as const

export type SeedFile = keyof typeof seedFiles

/** What a Unit of the demo has besides what any Unit may have. */
const ofSeed = z.object({
  /** Seeding again finds the same Unit by it. */
  externalId: label().regex(/^seed-[a-z0-9]+(-[a-z0-9]+)*$/, 'must begin with seed-, in kebab-case'),
  scope: z.enum(seedScopes),
  text: text(2000),
  aclGroups: z.array(z.enum([...seedGroups, '*'])),
  /** The file that it opens; without one `sourceUri` is only a pointer. */
  file: z.enum(Object.keys(seedFiles) as SeedFile[]).optional(),
})

export type SeedUnit = z.output<typeof unitInput> & z.output<typeof ofSeed>

/** The demo dataset, a Unit a line: a year at Sandpiper Line, an invented company with four small electric ferries. */
export const readSeedUnits = once(async (): Promise<readonly SeedUnit[]> => {
  const lines = (await readFile(new URL('content/units.jsonl', import.meta.url), 'utf8')).trimEnd().split('\n')
  return lines.map((line, i) => {
    const { file, ...unit } = JSON.parse(line)
    const place = ['units.jsonl', i]
    return { ...parse(unitInput, unit, place), ...parse(ofSeed, { ...unit, file }, place) }
  })
})

export const readSeedFile = (name: SeedFile): Promise<Buffer> =>
  readFile(new URL(`content/files/${name}`, import.meta.url))

/** A principal that the seed creates, with its home namespace and its one grant there. */
export interface SeedPrincipal {
  /** The name of the token in the response; it is also part of the token. */
  token: string
  principalId: string
  namespace: string
  tier: TierName
  perms: readonly Permission[]
  scope: string
  groups: readonly string[]
  readOnly: boolean
}

const tierPrincipal = (tier: TierName, perms: readonly Permission[]): SeedPrincipal => ({
  token: tier,
  principalId: `${tier}-user`,
  namespace: tier,
  tier,
  perms,
  scope: '*',
  groups: [],
  readOnly: false,
})

/** Writes and owns the demo content. */
export const demoAdmin: SeedPrincipal = {
  token: 'admin',
  principalId: 'demo-admin',
  namespace: 'demo',
  tier: 'enterprise',
  perms: permissions,
  scope: '*',
  groups: seedGroups,
  readOnly: false,
}

/** Sees strictly fewer Units than the admin: one scope, one group. */
const demoReadonly: SeedPrincipal = {
  ...demoAdmin,
  token: 'readonly',
  principalId: 'demo-readonly',
  perms: ['read'],
  scope: 'harbor/backend',
  groups: ['backend'],
  readOnly: true,
}

export const seedPrincipals: readonly SeedPrincipal[] = [
  demoAdmin,
  demoReadonly,
  tierPrincipal('free', ['read', 'write']),
  tierPrincipal('pro', ['read', 'write']),
  tierPrincipal('enterprise', permissions),
]

type Deps = Pick<Bindings, 'clock' | 'random'> & { brand: string }

export interface Provisioned {
  /** By token name; shown only now. */
  tokens: Record<string, string>
  /** Hashes of the replaced tokens. */
  revoked: string[]
}

/** Creates missing seeded principals with their namespaces and grants, and replaces their tokens. */
export async function provisionPrincipals(deps: Deps, tx: Provisioner): Promise<Provisioned> {
  const tokens: Record<string, string> = {}
  const revoked: string[] = []
  for (const principal of seedPrincipals) {
    const token = mintToken(deps.brand, principal.token, deps.random)
    revoked.push(...(await provision(deps, tx, principal, token)))
    tokens[principal.token] = token
  }
  return { tokens, revoked }
}

async function provision(deps: Deps, tx: Provisioner, principal: SeedPrincipal, token: string): Promise<string[]> {
  const createdAt = deps.clock.now()
  const { principalId, groups, readOnly, scope, perms } = principal
  const namespace = await tx.ensureNamespace({
    id: deps.random.id('ns'),
    name: principal.namespace,
    tier: principal.tier,
    createdAt,
  })
  await tx.ensurePrincipal({
    principalId,
    namespaceId: namespace.id,
    kind: 'user',
    groups,
    readOnly,
    activeScope: '*',
    createdAt,
  })
  await tx.ensureGrant(namespace.id, {
    id: deps.random.id('grant'),
    principalId,
    scope,
    perms,
    groups: [],
    grantedBy: 'seed',
    createdAt,
    expiresAt: null,
  })
  return tx.replaceTokens(principalId, {
    hash: tokenHash(token),
    id: deps.random.id('key'),
    name: principal.token,
    createdAt,
    expiresAt: null,
    restrictions: {},
  })
}

/** A session of a seeded principal, from the state of the transaction. */
export async function sessionOf(
  tx: Provisioner,
  principal: SeedPrincipal,
  requestId: string,
  now: number,
): Promise<Session> {
  const found = (await enter(tx.access, principal.principalId, principal.namespace, now))?.found
  if (!found) throw new Error(`the seeded principal ${principal.principalId} is missing`)
  return new Session({ ...found, restrictions: {}, requestedScope: '*', requestId })
}
