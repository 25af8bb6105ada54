import { PageLink } from '../../components/page-link.tsx'
import { Visible } from '../../components/safe-text.tsx'
import { shareText } from '../../components/words.ts'
import { useUrl } from '../../session/url.ts'
import type { SentenceFragment } from './generated/graphql.ts'

/** What passed the check, with its support. A marker in a sentence opens its source beside the answer. */
export function Sentences({ sentences }: { sentences: readonly SentenceFragment[] }) {
  return (
    <ol
      aria-label="Sentences"
      className="flex flex-col divide-y divide-line rounded-surface border border-line bg-surface"
    >
      {sentences.map((sentence) => (
        <li key={sentence.index} className="flex flex-col gap-1 px-4 py-3">
          <bdi dir="auto" className="text-h2">
            <Marked {...sentence} />
          </bdi>
          <span className="text-small text-muted">Faithfulness {shareText(sentence.faithfulness)}</span>
        </li>
      ))}
    </ol>
  )
}

const markers = /(\[\d+\])/

/** The text, its markers as links. Odd parts are the markers. */
function Marked({ text, citations }: SentenceFragment) {
  return text.split(markers).map((part, i) => {
    const citation = i % 2 === 1 ? citations.find(({ marker }) => `[${marker}]` === part) : undefined
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other identity
    return citation ? <Marker key={i} {...citation} /> : <Visible key={i} text={part} />
  })
}

function Marker({ marker, unitId, start, end }: SentenceFragment['citations'][number]) {
  const { list, get } = useUrl()
  const quote = `${start}-${end}`
  const isOpen = get('unit') === unitId && get('quote') === quote
  return (
    <PageLink
      to="/ask"
      search={{ q: list('q'), unit: unitId, quote }}
      aria-current={isOpen ? 'true' : undefined}
      className={`rounded-control px-0.5 text-body ${isOpen ? 'bg-mark text-ink' : ''}`}
    >
      <span aria-hidden>[</span>
      <span className="sr-only">Source </span>
      {marker}
      <span aria-hidden>]</span>
    </PageLink>
  )
}
