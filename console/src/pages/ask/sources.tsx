import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { AskedFragment } from './generated/graphql.ts'

type Hits = AskedFragment['hits']
type Citations = NonNullable<AskedFragment['answer']>['citations']

/** What a cited Unit is called. */
export function sourceName(unitId: string, hits: Hits): string {
  const hit = hits.find((one) => one.unitId === unitId)
  return hit?.externalId || hit?.docId || unitId
}

/** The quotes that the markers stand for, word for word. */
export function Sources({ citations, hits }: { citations: Citations; hits: Hits }) {
  return (
    <section className="flex flex-col gap-2">
      <h3>Sources</h3>
      <ol aria-label="Sources" className="flex flex-col gap-2">
        {citations.map(({ marker, unitId, quote, start, end }) => {
          return (
            <li key={marker} className="flex gap-3 rounded-surface border border-line bg-surface px-4 py-3">
              <span className="shrink-0 text-muted">[{marker}]</span>
              <div className="min-w-0">
                <PageLink to="/view" search={{ unit: unitId, quote: `${start}-${end}` }}>
                  <SafeText>{sourceName(unitId, hits)}</SafeText>
                </PageLink>
                <blockquote className="border-l-2 border-line pl-3">
                  <SafeText>{quote}</SafeText>
                </blockquote>
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
