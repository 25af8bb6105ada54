import { memo, type ReactNode } from 'react'
import { Skeleton } from '../../components/skeleton.tsx'
import { modalityText, planeText } from '../../components/words.ts'
import { useSelection } from '../../session/selection.ts'
import { useSession } from '../../session/session.tsx'
import { FacetGroup } from './facet-group.tsx'
import { typeText } from './hit-words.ts'
import { choicesOfHits, useFacets } from './use-facets.ts'
import type { Hit, SearchSide } from './use-search.ts'

const dayMs = 86_400_000
const noHits: readonly Hit[] = []

export interface FacetsProps extends Pick<SearchSide, 'set' | 'where' | 'as'> {
  /** Without the query, which changes nothing here. */
  params: SearchSide['filters']
  hits: readonly Hit[] | undefined
  suffix: string
}

/** What a search can be limited to. */
export const Facets = memo(({ params, set, where, as, hits = noHits, suffix }: FacetsProps) => {
  const { scopes } = useSession()
  const counted = useFacets({ params, page: useSelection(), where, enabled: as === undefined })
  // Groups that fill one by one would move each other.
  if (counted === null) {
    return (
      <Folded isCompared={suffix !== ''}>
        <Skeleton rows={6} height={96} />
      </Folded>
    )
  }
  const choices = counted ?? choicesOfHits(hits, scopes)
  const toggled = (name: string) => (value: string, isOn: boolean) =>
    set({ [name]: isOn ? [...params.list(name), value] : params.list(name).filter((one) => one !== value) })
  const group = (label: string, name: 'planes' | 'modality' | 'mime' | 'meta', wordsOf?: (value: string) => string) => (
    <FacetGroup
      label={label + suffix}
      values={choices[name]}
      chosen={params.list(name)}
      onToggle={toggled(name)}
      {...(wordsOf && { wordsOf })}
    />
  )
  const [after, before] = [params.get('after'), params.get('before')]
  const endOf = (day: string) => String(Date.parse(day) + dayMs - 1)
  return (
    <Folded isCompared={suffix !== ''}>
      {group('Planes', 'planes', planeText)}
      {group('Modality', 'modality', modalityText)}
      <FacetGroup
        label={`Scopes${suffix}`}
        values={choices.scopes}
        chosen={params.list('scopes')}
        onToggle={(value, isOn) => set({ scopes: isOn ? value : undefined })}
      />
      {group('Types', 'mime', typeText)}
      <FacetGroup
        label={`Dates${suffix}`}
        values={choices.days}
        chosen={after !== undefined && before === endOf(after) ? [after] : []}
        onToggle={(day, isOn) => set({ after: isOn ? day : undefined, before: isOn ? endOf(day) : undefined })}
      >
        <DateField label={`After${suffix}`} value={after} onChange={(next) => set({ after: next })} />
        <DateField label={`Before${suffix}`} value={before} onChange={(next) => set({ before: next })} />
      </FacetGroup>
      {group('Metadata', 'meta', metaText)}
    </Folded>
  )
})

/** `year: 2026`, and of a path the file. */
const metaText = (value: string) => value.replace(/^(path:.*\/|[^:]*:)/, (key) => `${key.split(':')[0]}: `)

/** Beside the results where there is room, else above them. */
function Folded({ children, isCompared }: { children: ReactNode; isCompared: boolean }) {
  const isRoomy = matchMedia(isCompared ? '(min-width: 1280px)' : '(min-width: 720px)').matches
  return (
    <details open={isRoomy} className="min-w-0 self-start text-table">
      <summary className="mb-2 text-muted">Filters</summary>
      <div className={`gap-4 ${isCompared ? 'grid grid-cols-2 pair:flex pair:flex-col' : 'flex flex-col'}`}>
        {children}
      </div>
    </details>
  )
}

interface DateFieldProps {
  label: string
  value: string | undefined
  onChange(value: string): void
}

function DateField({ label, value = '', onChange }: DateFieldProps) {
  const date = /^\d+$/.test(value) ? new Date(Number(value)).toISOString().slice(0, 10) : value
  return (
    <label className="flex flex-wrap items-center justify-between gap-2">
      {label}
      <input type="date" value={date} onChange={({ target }) => onChange(target.value)} className="control w-34" />
    </label>
  )
}
