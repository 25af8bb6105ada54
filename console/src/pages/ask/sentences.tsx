import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { shareText } from '../../components/words.ts'
import type { SentenceFragment } from './generated/graphql.ts'

/** What passed the check, with its support and its sources. */
export function Sentences({ sentences }: { sentences: readonly SentenceFragment[] }) {
  return (
    <ol aria-label="Sentences" className="flex flex-col gap-2">
      {sentences.map(({ index, text, faithfulness, citations }) => (
        <li key={index} className="flex flex-col gap-1 rounded-surface border border-line bg-surface px-4 py-3">
          <SafeText className="text-h2">{text}</SafeText>
          <span className="flex flex-wrap gap-3 text-small text-muted">
            <span>Faithfulness {shareText(faithfulness)}</span>
            {citations.map(({ marker, unitId, start, end }) => (
              <PageLink key={marker} to="/view" search={{ unit: unitId, quote: `${start}-${end}` }}>
                Source {marker}
              </PageLink>
            ))}
          </span>
        </li>
      ))}
    </ol>
  )
}
