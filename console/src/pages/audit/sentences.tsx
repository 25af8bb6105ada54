import { nameOf } from '../../components/person.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { LogRow } from '../../proofs/row.ts'

/** What was done, after the name of who did it. `what` is the target; a missing one is left out. */
const verbs: Readonly<Record<string, string>> = {
  'search.run': 'searched',
  'answer.run': 'asked a question in',
  'units.ingest': 'wrote Units to',
  'units.delete': 'deleted Units in',
  'units.restore': 'restored Units in',
  'units.update': 'changed the Unit',
  'units.get': 'opened the Unit',
  'units.list': 'listed Units in',
  'units.embed': 'embedded Units of',
  'docs.get': 'opened the document',
  'docs.list': 'listed documents in',
  'docs.facets': 'counted documents in',
  'documents.get': 'looked at the document',
  'documents.list': 'listed uploads in',
  'document.ingest': 'uploaded',
  'document.write': 'put the content of a file into',
  'document.change': 'changed the document',
  'document.retry': 'tried again the document',
  'document.delete': 'deleted the document',
  'source.create': 'uploaded a source',
  'source.link': 'asked for a link to the source of',
  'source.read': 'read the source of',
  'scope.create': 'made the scope',
  'scope.update': 'changed the scope',
  'scope.delete': 'deleted the scope',
  'scope.sweep': 'cleared the deleted scope',
  'namespace.claim': 'registered the namespace',
  'namespace.transfer': 'gave away the namespace',
  'namespace.update': 'changed settings of the namespace',
  'namespace.tier': 'set the tier of the namespace',
  'synonyms.set': 'set the synonyms',
  'namespace.delete': 'deleted the namespace',
  'principal.create': 'made the principal',
  'principal.update': 'changed the principal',
  'principal.delete': 'deleted the principal',
  'principal.provision': 'signed in for the first time as',
  'group.change': 'changed the group',
  'group.rename': 'renamed the group',
  'grant.create': 'gave the grant',
  'grant.delete': 'took back the grant',
  'invitation.create': 'made the invitation',
  'invitation.accept': 'accepted the invitation',
  'invitation.revoke': 'revoked the invitation',
  'key.create': 'made the key',
  'key.revoke': 'revoked the key',
  'agent.connect': 'connected the agent',
  'agent.revoke': 'disconnected the agent',
  'access.explain': 'asked who may read',
  'access.view_as': 'looked on as',
  'audit.export': 'exported this log',
  'compaction.run': 'compared the indexes',
  'seed.run': 'made the demo data',
  'golden.create': 'kept golden queries',
  'golden.delete': 'removed golden queries',
  'evaluation.run': 'ran an evaluation',
  'report.publish': 'published the report',
  'billing.tier': 'paid for a tier of',
  'request.refused': 'was refused',
}

export type NamedRow = LogRow & { principalName?: string | null }

/** "Ada searched harbor/general, 10 hits": the wire words stand in the tooltip. */
export function Sentence({ row }: { row: NamedRow }) {
  const { action, principalId, principalName, target } = row
  const known = verbs[action]
  const place = target ?? factsOf(row).scope
  const what = place === '*' ? 'all scopes' : typeof place === 'string' ? place : ''
  return (
    <span title={`${action} by ${principalId}`}>
      <strong className="font-strong">
        <SafeText>{nameOf(principalId, principalName)}</SafeText>
      </strong>{' '}
      {known ?? action}
      {what !== '' && ' '}
      {what !== '' && <SafeText>{what}</SafeText>}
      <SafeText>{more(row)}</SafeText>
    </span>
  )
}

const factsOf = ({ detail }: LogRow) =>
  (typeof detail === 'object' && detail !== null ? detail : {}) as Record<string, unknown>

/** What the detail adds, if it is short. */
function more(row: LogRow): string {
  const { outcome } = row
  const facts = factsOf(row)
  const parts = [
    ...(typeof facts.hits === 'number' ? [`${facts.hits} hits`] : []),
    ...(typeof facts.q === 'string' ? [`for “${facts.q}”`] : []),
    ...(typeof facts.from === 'string' && typeof facts.to === 'string' ? [`from ${facts.from} to ${facts.to}`] : []),
    ...(typeof facts.operation === 'string' ? [facts.operation] : []),
    ...(outcome === 'ok' ? [] : [outcome.replaceAll('_', ' ')]),
  ]
  return parts.map((part) => `, ${part}`).join('')
}
