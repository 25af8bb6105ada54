import { nameOf } from '../../components/person.tsx'
import type { Directory } from '../../components/readers/use-directory.ts'
import { groupOfPerson } from '../../components/readers/words.ts'
import { SafeText } from '../../components/safe-text.tsx'
import { counted, scopeText } from '../../components/words.ts'
import type { LogRow } from '../../proofs/row.ts'
import { isVerb, verbs, verbText } from './verbs.ts'

export type NamedRow = LogRow & { principalName?: string | null }

/** Ids that tell a reader nothing. They stand in the row itself. */
const opaque = /^(source:\/\/)?(agent|document|eval|export|grant|invitation|key|source|unit)_/

/** "Ada searched harbor/general, 10 hits": the wire words stand in the tooltip. */
export function Sentence({ row, names }: { row: NamedRow; names: Directory['names'] }) {
  const { action, principalId, principalName, target } = row
  const place = target ?? factsOf(row).scope
  const named = typeof place === 'string' ? names.get(groupOfPerson(place)) : undefined
  const what = named ?? (typeof place === 'string' && !opaque.test(place) ? scopeText(place) : '')
  return (
    <span title={`${action} by ${principalId}`}>
      <strong className="font-strong">
        <SafeText>{nameOf(principalId, principalName)}</SafeText>
      </strong>{' '}
      {what === '' || !isVerb(action) ? verbText(action) : verbs[action]}
      {what !== '' && ' '}
      {what !== '' && <SafeText>{what}</SafeText>}
      <SafeText>{more(row, names)}</SafeText>
    </span>
  )
}

const factsOf = ({ detail }: LogRow) =>
  (typeof detail === 'object' && detail !== null ? detail : {}) as Record<string, unknown>

/** What the detail adds, if it is short. */
function more(row: LogRow, names: Directory['names']): string {
  const { outcome, target } = row
  const facts = factsOf(row)
  const isOpaque = target !== null && target !== undefined && opaque.test(target)
  const parts = [
    ...(isOpaque && typeof facts.scope === 'string' ? [`in ${scopeText(facts.scope)}`] : []),
    ...(isOpaque && typeof facts.principal_id === 'string'
      ? [`for ${names.get(groupOfPerson(facts.principal_id)) ?? facts.principal_id}`]
      : []),
    ...(typeof facts.units === 'number' ? [counted(facts.units, 'Unit')] : []),
    ...(typeof facts.hits === 'number' ? [counted(facts.hits, 'hit')] : []),
    ...(typeof facts.query === 'string' ? [`for “${facts.query}”`] : []),
    ...(typeof facts.from === 'string' && typeof facts.to === 'string' ? [`from ${facts.from} to ${facts.to}`] : []),
    ...(typeof facts.operation === 'string' ? [facts.operation] : []),
    ...(outcome === 'ok' ? [] : [outcome.replaceAll('_', ' ')]),
  ]
  return parts.map((part) => `, ${part}`).join('')
}
