import { Combobox } from '../../components/combobox.tsx'
import { nameOf } from '../../components/person.tsx'
import { useDirectory } from '../../components/readers/use-directory.ts'
import { groupOfPerson, isPerson } from '../../components/readers/words.ts'
import { UrlField } from '../../components/url-field.tsx'
import { useUrl } from '../../session/url.ts'
import type { AuditFilterInput } from './generated/graphql.ts'
import type { NamedRow } from './sentences.tsx'
import { verbs, verbText } from './verbs.ts'

/** The row that is open may not be among the new ones. */
const opened = { row: undefined }

const actions = Object.keys(verbs).toSorted()
const outcomes = ['ok', 'forbidden', 'upgrade_required', 'quota_exceeded']

/** The filters of the audit log. They stand in the URL. `rows`: the listed ones, whose principals can be chosen. */
export function LogFilters({ rows }: { rows: readonly NamedRow[] }) {
  const { get, set } = useUrl()
  const { names } = useDirectory()
  const people = new Map([
    ...rows.map(({ principalId, principalName }) => [principalId, nameOf(principalId, principalName)] as const),
    ...[...names].flatMap(([group, name]) =>
      isPerson(group) ? [[group.slice(groupOfPerson('').length), name] as const] : [],
    ),
  ])
  const choose = (
    name: 'action' | 'principal' | 'outcome',
    items: readonly string[],
    wordsOf: (item: string) => string,
  ) => ({
    showLabel: true,
    items: ['', ...items],
    nameOf: (item: string) => (item === '' ? 'any' : wordsOf(item)),
    value: get(name) ?? '',
    onChange: (next: string) => void set({ ...opened, [name]: next || undefined }, { replace: true }),
  })
  return (
    <form aria-label="Filters" className="flex flex-col gap-2" onSubmit={(event) => event.preventDefault()}>
      <div className="grid grid-cols-2 gap-3 wide:grid-cols-6">
        <Combobox label="Action" {...choose('action', actions, (action) => `${verbText(action)} (${action})`)} />
        <Combobox label="Principal" {...choose('principal', [...people.keys()], (id) => people.get(id) ?? id)} />
        <Combobox label="Outcome" {...choose('outcome', outcomes, (outcome) => outcome.replace('_', ' '))} />
        <UrlField name="target" label="Target" voids={opened} />
        <UrlField name="after" label="From" type="date" voids={opened} />
        <UrlField name="before" label="To" type="date" voids={opened} />
      </div>
      <label className="flex min-h-8 w-fit items-center gap-2">
        <input
          type="checkbox"
          checked={get('reads') === '1'}
          onChange={({ target }) => set({ ...opened, reads: target.checked ? '1' : undefined }, { replace: true })}
        />
        Show pages that I opened
      </label>
    </form>
  )
}

/**
 * What the URL asks for. Dates are days of the reader's own clock, the last one included. Lists and documents that the
 * reader opened are left out unless they are asked for.
 */
export function filterOf(get: (name: string) => string | undefined): AuditFilterInput | null {
  const filter: AuditFilterInput = {
    action: get('action'),
    principalId: get('principal'),
    outcome: get('outcome'),
    target: get('target'),
    after: dayOf(get('after')),
    before: dayOf(get('before'), 1),
    ownReads: get('reads') === '1' || get('action') ? undefined : false,
  }
  return Object.values(filter).some((value) => value !== undefined) ? filter : null
}

function dayOf(text: string | undefined, days = 0): number | undefined {
  const [year, month, day] = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? (text ?? '').split('-').map(Number) : []
  if (year === undefined || month === undefined || day === undefined) return undefined
  return new Date(year, month - 1, day + days).getTime() - days
}
