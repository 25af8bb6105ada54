import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { AskedFragment } from './generated/graphql.ts'

type Hits = AskedFragment['hits']
type Citations = NonNullable<AskedFragment['answer']>['citations']

/** The quotes that the markers stand for, word for word. */
export function Sources({ citations, hits }: { citations: Citations; hits: Hits }) {
  return (
    <section className="flex flex-col gap-2">
      <h2>Sources</h2>
      <ol aria-label="Sources" className="flex flex-col gap-2">
        {citations.map(({ marker, unitId, quote, start, end }) => {
          const hit = hits.find((one) => one.unitId === unitId)
          return (
            <li key={marker} className="flex gap-3 rounded-surface border border-line bg-surface px-4 py-3">
              <span className="shrink-0 text-muted">[{marker}]</span>
              <div className="min-w-0">
                <PageLink to="/view" search={{ unit: unitId, quote: `${start}-${end}` }}>
                  <SafeText>{hit?.externalId || hit?.docId || unitId}</SafeText>
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
