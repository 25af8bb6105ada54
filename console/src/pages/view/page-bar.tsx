import { ChevronLeft, ChevronRight, Minus, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useUrl } from '../../session/url.ts'

const steps = [50, 75, 100, 125, 150, 200, 300, 400]

/** In percent of the room that there is. */
export function useZoom(): number {
  const zoom = Number(useUrl().get('zoom') ?? 100)
  return steps.includes(zoom) ? zoom : 100
}

/** Makes what is shown smaller and larger. */
export function ZoomButtons() {
  const { set } = useUrl()
  const zoom = useZoom()
  const step = (by: number) => {
    const next = steps[steps.indexOf(zoom) + by]
    if (next !== undefined) void set({ zoom: next === 100 ? undefined : `${next}` }, { replace: true })
  }
  return (
    <div className="flex items-center gap-1">
      <Button aria-label="Zoom out" disabled={zoom === steps[0]} className="w-8 px-0!" onClick={() => step(-1)}>
        <Minus aria-hidden className="size-4" />
      </Button>
      <span role="status" aria-label="Zoom" className="w-12 text-center text-small text-muted">
        {zoom} %
      </span>
      <Button aria-label="Zoom in" disabled={zoom === steps.at(-1)} className="w-8 px-0!" onClick={() => step(1)}>
        <Plus aria-hidden className="size-4" />
      </Button>
    </div>
  )
}

export interface PageBarProps {
  /** The one in sight, from 1. */
  page: number
  count: number
  onPage(page: number): void
}

/** Page n of m, to read and to change. */
export function PageBar({ page, count, onPage }: PageBarProps) {
  const [text, setText] = useState(`${page}`)
  useEffect(() => setText(`${page}`), [page])
  const go = () => {
    const wanted = Math.round(Number(text))
    if (wanted >= 1 && wanted <= count) onPage(wanted)
    else setText(`${page}`)
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <form
        className="flex items-center gap-1"
        onSubmit={(event) => {
          event.preventDefault()
          go()
        }}
      >
        <Button aria-label="Previous page" disabled={page <= 1} className="w-8 px-0!" onClick={() => onPage(page - 1)}>
          <ChevronLeft aria-hidden className="size-4" />
        </Button>
        <input
          aria-label="Page"
          inputMode="numeric"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={go}
          className="control w-14 text-right"
        />
        <span className="px-1 whitespace-nowrap text-muted">of {count.toLocaleString()}</span>
        <Button aria-label="Next page" disabled={page >= count} className="w-8 px-0!" onClick={() => onPage(page + 1)}>
          <ChevronRight aria-hidden className="size-4" />
        </Button>
      </form>
      <ZoomButtons />
    </div>
  )
}
