import { ChevronDown, ChevronUp } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useUrl } from '../../session/url.ts'
import { type Found, maxFound } from './find.ts'

/** Looks for words in the document; Enter shows the next place, Shift and Enter the one before. */
export function FindBox({ words, spans, at }: Found) {
  const { set } = useUrl()
  const count = spans.length
  // The page and the sheet follow what is found.
  const show = (change: { find?: string; match?: string | undefined }) =>
    void set({ ...change, page: undefined, sheet: undefined }, { replace: true })
  const step = (by: number) => {
    if (count > 0) show({ match: `${((at + by + count) % count) + 1}` })
  }
  return (
    <search className="flex min-w-0 flex-wrap items-center gap-2">
      <input
        type="search"
        aria-label="Find in the document"
        placeholder="Find in the document"
        dir="auto"
        maxLength={200}
        value={words}
        onChange={({ target }) => show({ find: target.value, match: undefined })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') show({ find: '', match: undefined })
        }}
        className="control w-56 min-w-0"
      />
      <Button aria-label="Previous place" disabled={count === 0} className="w-8 px-0!" onClick={() => step(-1)}>
        <ChevronUp aria-hidden className="size-4" />
      </Button>
      <Button aria-label="Next place" disabled={count === 0} className="w-8 px-0!" onClick={() => step(1)}>
        <ChevronDown aria-hidden className="size-4" />
      </Button>
      <span role="status" className="text-small whitespace-nowrap text-muted">
        {words !== '' &&
          (count === 0 ? 'Not found' : `${at + 1} of ${count === maxFound ? `${count} or more` : count}`)}
      </span>
    </search>
  )
}
