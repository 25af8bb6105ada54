import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { AskedFragment } from './generated/graphql.ts'

/** No answer, and what was looked at. */
export function Abstention({ hits }: { hits: AskedFragment['hits'] }) {
  return (
    <section className="flex flex-col gap-2">
      <h2>No answer found</h2>
      <p className="text-muted">
        {hits.length === 0
          ? 'Nothing that you may read fits the question.'
          : 'What fits the question best does not answer it. This was looked at:'}
      </p>
      <ul className="flex flex-col gap-1">
        {hits.map(({ unitId, externalId, docId, text }) => (
          <li key={unitId}>
            <PageLink to="/view" search={{ unit: unitId }}>
              <SafeText>{externalId || docId || text?.slice(0, 80) || unitId}</SafeText>
            </PageLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
