import { widens } from '../../../src/domain/keys/keys.ts'
import { covers, overlap } from '../../../src/model/registry.ts'
import { mayRead } from '../../../src/model/unit.ts'
import type { ApiKey } from '../../../src/ports/catalog.ts'
import type { Reply } from '../../support/boot.ts'
import type { Credential } from './keys.ts'
import type { GraphqlRequest } from './request.ts'
import type { SeenGrant, SeenUnit, Snapshot } from './snapshot.ts'

/** One request and its effects. */
export interface Deed {
  by: Credential
  request: GraphqlRequest
  reply: Reply
  before: Snapshot
  after: Snapshot
  /** The content behind a link in the answer. */
  exported: string
}

/** The violations of the credential's restrictions; empty if there are none. */
export function violations(deed: Deed): string[] {
  return [
    ...unitChanges(deed),
    ...documentChanges(deed),
    ...scopeChanges(deed),
    ...grantChanges(deed),
    ...invitationChanges(deed),
    ...principalChanges(deed),
    ...tokenChanges(deed),
    ...tenantChanges(deed),
    ...disclosures(deed),
  ]
}

interface Change<T> {
  key: string
  was: T | undefined
  is: T | undefined
}

function changes<T>({ before, after }: Deed, kind: (snapshot: Snapshot) => Map<string, T>): Change<T>[] {
  const [old, now] = [kind(before), kind(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ key, was: old.get(key), is: now.get(key) }))
    .filter(({ was, is }) => JSON.stringify(was) !== JSON.stringify(is))
}

const holds = ({ kept }: Credential, perm: 'read' | 'write' | 'admin') => kept.perms?.includes(perm) !== false
const inPrefix = ({ kept }: Credential, scope: string) => covers(kept.scopePrefix ?? '*', scope)
/** Whether the key is restricted to a part of a scope's content. */
const isPartial = ({ kept }: Credential) => kept.planes !== undefined || kept.groups !== undefined
/** Whether it learns less of hidden Units: no one else takes that from it, except by a token that it makes. */
const isToldLess = ({ kept }: Credential) => kept.hiddenCount !== undefined
const closedToAgents = ({ by, before }: Deed, scope: string) =>
  by.actor.kind === 'agent' &&
  [...before.scopes.values()].some((s) => s.readOnlyAgents && overlap(s.scope, scope) !== null)

/** Whether the key's restrictions exclude the Unit. */
function isClosed(
  { actor, kept }: Credential,
  { scope, plane, aclOwner: owner, aclGroups: groups }: SeenUnit,
): boolean {
  const acl = { owner, groups }
  const reads = (held: readonly string[]) => mayRead({ principalId: actor.id, groups: held }, acl)
  const byGroups = kept.groups !== undefined && !reads(kept.groups) && reads(actor.groups)
  return kept.planes?.includes(plane) === false || !covers(kept.scopePrefix ?? '*', scope) || byGroups
}

const unitChanges = (deed: Deed): string[] =>
  changes(deed, ({ units }) => units).flatMap(({ key, was, is }) => {
    const closed = [was, is].some((unit) => unit && isClosed(deed.by, unit))
    const isOut = closed || [was, is].some((unit) => unit && closedToAgent(deed, unit.scope))
    return isOut || !(holds(deed.by, 'write') || holds(deed.by, 'admin')) ? [`the Unit ${key} was changed`] : []
  })

/** A document is changed by those who may write in its scope, and goes with its last Unit. */
const documentChanges = (deed: Deed): string[] =>
  changes(deed, ({ documents }) => documents).flatMap(({ key, was, is }) => {
    const { by } = deed
    const scopes = [was, is].flatMap((document) => document?.scope ?? [])
    const isOut = scopes.some((scope) => !inPrefix(by, scope) || closedToAgent(deed, scope))
    const isForeign = is !== undefined && is.writer !== by.actor.id
    return isOut || isForeign || !(holds(by, 'write') || holds(by, 'admin')) ? [`the document ${key} was changed`] : []
  })

const closedToAgent = ({ by, before }: Deed, scope: string) =>
  by.actor.kind === 'agent' && [...before.scopes.values()].some((s) => s.readOnlyAgents && covers(s.scope, scope))

const scopeChanges = (deed: Deed): string[] =>
  changes(deed, ({ scopes }) => scopes).flatMap(({ key, was, is }) => {
    const isNew = was === undefined
    const perm = isNew ? 'write' : 'admin'
    const isOut = !inPrefix(deed.by, key) || !holds(deed.by, perm) || (!isNew && isPartial(deed.by))
    // A new scope may become the parent of existing scopes below it.
    const isAdopted = was !== undefined && is !== undefined && sameButParent(was, is)
    return (isOut && !isAdopted) || (!isNew && is === undefined && closedToAgents(deed, key))
      ? [`the scope ${key} was changed`]
      : []
  })

const sameButParent = (a: object, b: object) =>
  JSON.stringify({ ...a, parent: null }) === JSON.stringify({ ...b, parent: null })

const endsLater = ({ kept }: Credential, expiresAt: number | null) =>
  kept.expiresAt !== undefined && (expiresAt === null || expiresAt > kept.expiresAt)

const grantChanges = (deed: Deed): string[] =>
  changes(deed, ({ grants }) => grants).flatMap(({ key, was, is }) => {
    const { by } = deed
    const grant = is ?? was
    if (!grant || isPartial(by) || !inPrefix(by, grant.scope)) return [`the grant ${key} was made or taken away`]
    if (was) return holds(by, 'admin') && !closedToAgents(deed, grant.scope) ? [] : [`the grant ${key} was taken away`]
    return isToldLess(by) || widerThan(by, grant) ? [`the grant ${key} is wider than the key`] : []
  })

const widerThan = (by: Credential, { perms, expiresAt }: SeenGrant) =>
  perms.some((perm) => by.kept.perms?.includes(perm as never) === false) || endsLater(by, expiresAt)

const invitationChanges = (deed: Deed): string[] =>
  changes(deed, ({ invitations }) => invitations).flatMap(({ key, was, is }) => {
    const { by } = deed
    if (was && is && is.acceptedAt !== was.acceptedAt)
      return Object.keys(by.kept).length > 0 ? [`the invitation ${key} was accepted`] : []
    const offer = is ?? was
    if (!offer || isPartial(by) || !inPrefix(by, offer.scope)) return [`the invitation ${key} was made or revoked`]
    if (was)
      return holds(by, 'admin') && !closedToAgents(deed, offer.scope) ? [] : [`the invitation ${key} was revoked`]
    return isToldLess(by) || widerThan(by, offer) ? [`the invitation ${key} is wider than the key`] : []
  })

const principalChanges = (deed: Deed): string[] =>
  changes(deed, ({ principals }) => principals).flatMap(({ key, was, is }) => {
    const { kept } = deed.by
    const isOut = kept.planes !== undefined || kept.scopePrefix !== undefined || !holds(deed.by, 'admin')
    const isWider = kept.groups !== undefined && is?.groups.some((group) => !kept.groups?.includes(group))
    return isOut || isWider || (was && isPartial(deed.by)) ? [`the principal ${key} was changed`] : []
  })

const isAlike = (was: ApiKey, is: ApiKey) => {
  const sizes = [was, is].map(({ restrictions: { groups, ...rest }, ...key }) => [key, rest, groups?.length])
  return JSON.stringify(sizes[0]) === JSON.stringify(sizes[1])
}

const tokenChanges = (deed: Deed): string[] =>
  changes(deed, ({ tokens }) => tokens).flatMap(({ key, was, is }) => {
    const { by, before, after } = deed
    const { kept, actor } = by
    const token = is ?? was
    const isOwn = token?.principalId === actor.id
    // A group that has another name has it in all keys.
    if (was && is && deed.request.field === 'renameGroup' && isAlike(was, is)) return []
    if (is && endsLater(by, is.expiresAt)) return [`the token ${key} ends later than the key`]
    const ofNew = is && !before.principals.has(is.principalId) && after.principals.has(is.principalId)
    const ofGone = was && !is && !after.principals.has(was.principalId) && before.principals.has(was.principalId)
    // A new principal's token comes with it, and a deleted principal's token goes with it.
    if (ofGone) return []
    if (ofNew) {
      const { hiddenCount } = kept
      return widens(hiddenCount ? { hiddenCount } : {}, is.restrictions) ? [`the token ${key} learns more`] : []
    }
    if (!isOwn) return [`the token ${key} is not the caller's own`]
    return widens(kept, token.restrictions) ? [`the token ${key} is wider than the key`] : []
  })

const tenantChanges = (deed: Deed): string[] => {
  const { kept } = deed.by
  const isRestricted = Object.keys(kept).length > 0
  const namespaces = changes(deed, (snapshot) => snapshot.namespaces).flatMap(({ key, was, is }) => {
    const isNarrow = isPartial(deed.by) || kept.scopePrefix !== undefined || !holds(deed.by, 'admin')
    const isSetting = was && is && JSON.stringify({ ...was, hiddenCount: is.hiddenCount }) === JSON.stringify(is)
    const isOut = isSetting
      ? isNarrow || isToldLess(deed.by)
      : is
        ? isRestricted
        : isPartial(deed.by) || kept.scopePrefix !== undefined || closedToAgents(deed, '*')
    return isOut ? [`the namespace ${key} was made, changed or deleted`] : []
  })
  const evaluation = changes(deed, (snapshot) => snapshot.evaluation).flatMap(({ key }) =>
    isPartial(deed.by) || kept.scopePrefix !== undefined ? [`the query or run ${key} was changed`] : [],
  )
  return [...namespaces, ...evaluation]
}

/** What the answer reveals of excluded data; values that the caller itself sent don't count. */
function disclosures({ by, request, reply, before, exported }: Deed): string[] {
  const sent = JSON.stringify(request.variables)
  const told = JSON.stringify(reply.body) + exported
  const isTold = (text: string) => told.includes(text) && !sent.includes(text)
  const units = [...before.units.values()].filter((unit) => isClosed(by, unit))
  const shown = units.filter(({ unitId, text }) => {
    const [word] = /mark\d+x/.exec(text ?? '') ?? []
    return isTold(unitId) || (word !== undefined && isTold(word))
  })
  const documents = [...before.documents.values()].filter(
    ({ documentId, name, scope }) => !inPrefix(by, scope) && (isTold(documentId) || isTold(name)),
  )
  const linked = reply.body.data?.sourceLink ? units.filter(({ unitId }) => unitId === request.variables.unitId) : []
  const isNarrow = isPartial(by) || by.kept.scopePrefix !== undefined
  const queries = [...before.evaluation.values()].filter(
    ({ id, expectedAnswers = [] }) => isNarrow && [id, ...expectedAnswers].some(isTold),
  )
  const [error] = reply.body.errors ?? []
  const { compact, resetVectors, synonyms, setSynonyms } = reply.body.data ?? {}
  const planes = [...(compact?.planes ?? []), ...(resetVectors ? [resetVectors] : [])].filter(
    ({ plane }: { plane: never }) => by.kept.planes?.includes(plane) === false || by.kept.groups !== undefined,
  )
  return [
    ...shown.map(({ unitId }) => `the Unit ${unitId} was shown`),
    ...documents.map(({ documentId }) => `the document ${documentId} was shown`),
    ...linked.map(({ unitId }) => `the source of the Unit ${unitId} was opened`),
    ...queries.map(({ id }) => `the query or run ${id} was shown`),
    ...planes.map(({ plane }: { plane: string }) => `the plane ${plane} was reconciled or reset`),
    ...((synonyms || setSynonyms) && isNarrow ? ['the synonyms were shown or changed'] : []),
    // The world has no payment provider; a caller that gets this error passed the permission check.
    ...(error?.extensions.code === 'billing_not_configured' && Object.keys(by.kept).length > 0 ? ['it may pay'] : []),
    ...(error?.extensions.code === 'internal_error' ? [`an internal error: ${request.query}`] : []),
  ]
}
