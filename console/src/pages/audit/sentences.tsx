import { nameOf } from '../../components/person.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { LogRow } from '../../proofs/row.ts'
import { isVerb, verbs } from './verbs.ts'

export type NamedRow = LogRow & { principalName?: string | null }

/** "Ada searched harbor/general, 10 hits": the wire words stand in the tooltip. */
export function Sentence({ row }: { row: NamedRow }) {
  const { action, principalId, principalName, target } = row
  const known = isVerb(action) ? verbs[action] : action
  const place = target ?? factsOf(row).scope
  const what = place === '*' ? 'all scopes' : typeof place === 'string' ? place : ''
  return (
    <span title={`${action} by ${principalId}`}>
      <strong className="font-strong">
        <SafeText>{nameOf(principalId, principalName)}</SafeText>
      </strong>{' '}
      {what === '' ? known.replace(/ (in|to|of|for|as)$/, '') : known}
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
    ...(typeof facts.query === 'string' ? [`for “${facts.query}”`] : []),
    ...(typeof facts.from === 'string' && typeof facts.to === 'string' ? [`from ${facts.from} to ${facts.to}`] : []),
    ...(typeof facts.operation === 'string' ? [facts.operation] : []),
    ...(outcome === 'ok' ? [] : [outcome.replaceAll('_', ' ')]),
  ]
  return parts.map((part) => `, ${part}`).join('')
}
