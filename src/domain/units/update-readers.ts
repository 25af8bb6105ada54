import { InvalidInputError } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { changedAcl, isSame, requireKept } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { reachOf, requireWithin } from './delete-units.ts'
import type { ReadersInput } from './unit-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { indexer: Indexer; ingestWaitMs: number }

/** Units of one call. */
const maxUnits = 100_000

/**
 * Changes owner and readers of Units, all at once or not at all. They are readable ones in writable scopes that the caller
 * owns; an admin principal need not own them. Others do not count. Errors: 400 for more than 100,000 Units, 403.
 */
export async function updateReaders(deps: Deps, session: Session, input: ReadersInput) {
  admit(session, 'updateReaders')
  const { scope } = input.filter ?? {}
  if (scope) requireWithin(session, scope)
  const namespaceId = session.namespace.id
  const written = await deps.catalog.transact(namespaceId, (tx) => change(deps, session, tx, input))
  return { ...written, indexed: await deps.indexer.waitFor(namespaceId, written.seq, deps.ingestWaitMs) }
}

async function change({ clock }: Deps, session: Session, tx: NamespaceWriter, input: ReadersInput) {
  const { filter, docId, ids, ...readers } = input
  const reach = { ...reachOf(session, filter?.scope ?? '*'), states: ['live'] as const }
  const isAdmin = session.may('admin', '*')
  const selection = {
    ...reach,
    ...(ids && { ids: await tx.units.resolve({ ...reach, ids }, session.principalId) }),
    filter: [
      ...(filter?.filter ?? []),
      ...(docId === undefined ? [] : [{ kind: 'equals', at: 'docId', values: [docId] } as const]),
      ...(isAdmin ? [] : [{ kind: 'equals', at: 'aclOwner', values: [session.principalId] } as const]),
    ],
  }
  const alike = await tx.units.alike(selection)
  const matched = alike.reduce((sum, { units }) => sum + units, 0)
  if (matched > maxUnits) {
    const place = filter ? 'filter' : 'docId'
    throw new InvalidInputError([place], `must match at most ${maxUnits} Units, and matches ${matched}: choose fewer`)
  }
  const changes = alike.flatMap((one) => {
    const to = changedAcl(session, one.acl, readers)
    const path = session.facts.scopes.find(({ id }) => id === one.scopeId)?.scope ?? '*'
    requireKept(session, path, { plane: one.plane, acl: to })
    return isSame(to, one.acl) ? [] : [{ ...one, to }]
  })
  const now = clock.now()
  if (changes.length > 0) await tx.units.setAcls(selection, changes, now)
  await tx.audit(
    auditEntry(session, now, 'units.readers', session.requestedScope, {
      units: matched,
      changed: changes.reduce((sum, { units }) => sum + units, 0),
      acl_owner: readers.aclOwner !== undefined,
      acl_groups: readers.aclGroups !== undefined,
      seq: tx.seq(),
    }),
  )
  return { matched, seq: tx.seq() }
}
