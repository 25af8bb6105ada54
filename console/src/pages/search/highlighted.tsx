import { Visible } from '../../components/safe-text.tsx'

export interface HighlightedProps {
  text: string
  highlights: readonly { start: number; end: number }[]
  /** Of code: the number of its first line, 0 for lines without numbers. Null for prose. */
  firstLine: number | null
}

/** How much of a text is shown: around its first highlight. */
const shown = 420

/** A passage of the text, its matching words marked. */
export function Highlighted({ text, highlights, firstLine }: HighlightedProps) {
  const first = highlights[0]?.start ?? 0
  const near = first < shown / 2 ? 0 : wordFrom(text, first - 80)
  const from = firstLine === null ? near : text.lastIndexOf('\n', near) + 1
  const to = Math.min(text.length, from + shown)
  const passage = (
    <>
      {from > 0 && firstLine === null && '… '}
      {[...partsOf(text, highlights, from, to)].map(({ start, words: part, isMarked }) => {
        // Empty lines say nothing in a passage.
        const words = firstLine === null ? part.replace(/\n\s*\n/g, '\n') : part
        return isMarked ? (
          <mark key={start}>
            <Visible text={words} />
          </mark>
        ) : (
          <Visible key={start} text={words} />
        )
      })}
      {to < text.length && ' …'}
    </>
  )
  if (firstLine === null) {
    return (
      <p dir="auto" className="whitespace-pre-line">
        {passage}
      </p>
    )
  }
  const lines = (part: string) => part.split('\n').length
  const count = lines(text.slice(from, to))
  return (
    <div className="flex rounded-control bg-hover py-2 font-mono text-small whitespace-pre">
      {firstLine > 0 && (
        <span aria-hidden className="shrink-0 px-3 text-right text-muted select-none">
          {Array.from({ length: count }, (_, line) => firstLine + lines(text.slice(0, from)) - 1 + line).join('\n')}
        </span>
      )}
      {/* What scrolls must be in reach of the keyboard. */}
      <p dir="auto" tabIndex={0} className={`min-w-0 flex-1 overflow-x-auto pr-3 ${firstLine > 0 ? '' : 'pl-3'}`}>
        {passage}
      </p>
    </div>
  )
}

/** Where the next word begins, unless that is far. */
function wordFrom(text: string, at: number): number {
  const space = text.slice(at, at + 20).search(/\s/)
  return space < 0 ? at : at + space + 1
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
