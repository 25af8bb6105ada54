import { Visible } from '../../components/safe-text.tsx'

export interface HighlightedProps {
  text: string
  highlights: readonly { start: number; end: number }[]
  isCode: boolean
}

/** How much of a text is shown: around its first highlight. */
const shown = 420

/** A passage of the text, its matching words marked. */
export function Highlighted({ text, highlights, isCode }: HighlightedProps) {
  const first = highlights[0]?.start ?? 0
  const from = first < shown / 2 ? 0 : first - 80
  const to = Math.min(text.length, from + shown)
  const parts = [...partsOf(text, highlights, from, to)]
  return (
    <p
      dir="auto"
      // What scrolls must be in reach of the keyboard.
      tabIndex={isCode ? 0 : undefined}
      className={isCode ? 'overflow-x-auto font-mono text-small whitespace-pre' : 'whitespace-pre-line'}
    >
      {from > 0 && '… '}
      {parts.map(({ start, words, isMarked }) =>
        isMarked ? (
          <mark key={start}>
            <Visible text={words} />
          </mark>
        ) : (
          <Visible key={start} text={words} />
        ),
      )}
      {to < text.length && ' …'}
    </p>
  )
}

function* partsOf(text: string, highlights: HighlightedProps['highlights'], from: number, to: number) {
  let at = from
  for (const { start, end } of highlights.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end > to) continue
    if (start > at) yield { start: at, words: text.slice(at, start), isMarked: false }
    yield { start, words: text.slice(start, end), isMarked: true }
    at = end
  }
  if (at < to) yield { start: at, words: text.slice(at, to), isMarked: false }
}
