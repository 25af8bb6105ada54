import { UrlField } from '../../components/url-field.tsx'
import type { AuditFilterInput } from './generated/graphql.ts'

const texts = [
  { name: 'action', label: 'Action', hint: 'Such as units.ingest' },
  { name: 'principal', label: 'Principal' },
  { name: 'target', label: 'Target' },
  { name: 'outcome', label: 'Outcome', hint: 'ok, forbidden, …' },
] as const

/** The row that is open may not be among the new ones. */
const opened = { row: undefined }

/** The filters of the audit log. They stand in the URL. */
export function LogFilters() {
  return (
    <form
      aria-label="Filters"
      className="grid grid-cols-2 gap-3 wide:grid-cols-6"
      onSubmit={(event) => event.preventDefault()}
    >
      {texts.map(({ name, label, ...rest }) => (
        <UrlField key={name} name={name} label={label} {...rest} voids={opened} />
      ))}
      <UrlField name="after" label="From" type="date" voids={opened} />
      <UrlField name="before" label="To" type="date" voids={opened} />
    </form>
  )
}

/** What the URL asks for. Dates are days of the reader's own clock, the last one included. */
export function filterOf(get: (name: string) => string | undefined): AuditFilterInput | null {
  const filter: AuditFilterInput = {
    action: get('action'),
    principalId: get('principal'),
    outcome: get('outcome'),
    target: get('target'),
    after: dayOf(get('after')),
    before: dayOf(get('before'), 1),
  }
  return Object.values(filter).some((value) => value !== undefined) ? filter : null
}

function dayOf(text: string | undefined, days = 0): number | undefined {
  const [year, month, day] = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? (text ?? '').split('-').map(Number) : []
  if (year === undefined || month === undefined || day === undefined) return undefined
  return new Date(year, month - 1, day + days).getTime() - days
}
