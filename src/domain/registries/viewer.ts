import { unauthorized } from '../../errors.ts'
import type { PrincipalRecord } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { listNamespaces, type NamespaceView } from './namespaces.ts'

export const credentialKinds = ['session', 'key', 'token'] as const

/** Who is calling, and by what. */
export interface Viewer {
  principal: PrincipalRecord
  /** At most 1,000, by name. */
  namespaces: readonly NamespaceView[]
  credential: {
    kind: (typeof credentialKinds)[number]
    /** Of a key, as in the list of keys; else null. */
    keyId: string | null
    name: string | null
  }
}

const maxNamespaces = 1000

export async function describeViewer(deps: Pick<Bindings, 'catalog' | 'clock'>, session: Session): Promise<Viewer> {
  const [principal, { items: namespaces }, credential] = await Promise.all([
    recordOf(deps, session),
    listNamespaces(deps, session, { limit: maxNamespaces, cursor: 0 }),
    credentialOf(deps, session),
  ])
  return { principal, namespaces, credential }
}

/** The super-admin has no record: it exists by configuration. */
async function recordOf({ catalog }: Pick<Bindings, 'catalog'>, { facts }: Session): Promise<PrincipalRecord> {
  const { superAdmin, home, ...caller } = facts.caller
  if (superAdmin) return { ...caller, namespace: home.name, name: null, email: null, inheritedGroups: [], createdAt: 0 }
  const record = await catalog.registry.principal(home.id, caller.principalId)
  // It was deleted just now.
  if (!record) throw unauthorized()
  return record
}

async function credentialOf(
  { catalog }: Pick<Bindings, 'catalog'>,
  { client, facts: { caller, keyHash } }: Session,
): Promise<Viewer['credential']> {
  if (caller.superAdmin || client !== undefined) return { kind: 'token', keyId: null, name: null }
  if (keyHash === undefined) return { kind: 'session', keyId: null, name: null }
  const key = await catalog.tokens.label(keyHash)
  return { kind: 'key', keyId: key?.id ?? null, name: key?.name ?? null }
}
