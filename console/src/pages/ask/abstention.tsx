import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { counted } from '../../components/words.ts'
import type { AskedFragment } from './generated/graphql.ts'

/** No answer, what was looked at, and what to do next. */
export function Abstention({ question, hits, trace }: AskedFragment & { question: string }) {
  return (
    <section aria-label="No answer found" className="flex flex-col gap-3">
      <h3>No answer found</h3>
      <p>
        {hits.length === 0
          ? 'Nothing that you may read fits the question.'
          : `${lookedAt(hits.length, trace.answer?.steps.length ?? 1)} What fits best does not answer the question.`}
      </p>
      {hits.length > 0 && (
        <ul aria-label="Looked at" className="flex flex-col gap-2">
          {hits.map(({ unitId, externalId, docId, text, scope }) => (
            <li key={unitId} className="rounded-surface border border-line bg-surface px-4 py-2">
              <div className="flex flex-wrap items-baseline gap-x-3">
                <PageLink to="/view" search={{ unit: unitId }} className="min-w-0">
                  <SafeText>{externalId || docId || text?.slice(0, 80) || unitId}</SafeText>
                </PageLink>
                <SafeText className="text-small text-muted">{scope}</SafeText>
              </div>
              {text && <SafeText className="line-clamp-2 text-muted">{text.slice(0, 400)}</SafeText>}
            </li>
          ))}
        </ul>
      )}
      <p className="text-muted">
        Ask with other words, choose another scope, or{' '}
        <PageLink to="/search" search={{ q: question }} className="underline">
          search for it
        </PageLink>
        .
      </p>
    </section>
  )
}

const lookedAt = (passages: number, searches: number) =>
  `Looked at ${counted(passages, 'passage')} in ${counted(searches, 'search', 'searches')}.`
