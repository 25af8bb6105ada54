import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef } from 'react'
import { Visible } from '../../components/safe-text.tsx'
import { isFound } from './find.ts'
import { type Piece, pieceAt } from './lines.ts'
import { type Span, segmentsOf } from './places.ts'

export interface TextLinesProps {
  text: string
  pieces: readonly Piece[]
  spans: readonly Span[]
  /** The Unit whose span is brought into sight. */
  chosen: string
  /** Code: lines have numbers, and letters one width. */
  isCode: boolean
}

/** A text by lines, with marks. Only the lines in sight are in the page. */
export function TextLines({ text, pieces, spans, chosen, isCode }: TextLinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: pieces.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 20,
    overscan: 20,
    initialRect: { width: 600, height: 480 },
  })
  const start = spans.find(({ unitId }) => unitId === chosen)?.start
  useEffect(() => {
    if (start !== undefined) virtualizer.scrollToIndex(pieceAt(pieces, start), { align: 'start' })
  }, [start, pieces, virtualizer])
  return (
    <div
      ref={scroller}
      tabIndex={0}
      className="max-h-[60vh] overflow-auto rounded-surface border border-line bg-surface py-2"
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start: top }) => {
          const piece = pieces[index]
          if (piece === undefined) return null
          return (
            <div
              key={piece.start}
              ref={virtualizer.measureElement}
              data-index={index}
              className="absolute inset-x-0 flex gap-3 px-3"
              style={{ transform: `translateY(${top}px)` }}
            >
              {isCode && (
                <code aria-hidden className="w-10 flex-none text-right leading-5 text-muted select-none">
                  {piece.number}
                </code>
              )}
              <bdi
                dir="auto"
                className={`min-h-5 min-w-0 flex-1 whitespace-pre-wrap ${isCode ? 'font-mono text-small leading-5' : 'text-table'}`}
              >
                <Segments text={text} start={piece.start} end={piece.end} spans={spans} chosen={chosen} />
              </bdi>
            </div>
          )
        })}
      </div>
    </div>
  )
}

export interface SegmentsProps extends Pick<TextLinesProps, 'text' | 'spans' | 'chosen'> {
  start: number
  end: number
}

/** A part of the text, with marks. */
export const Segments = memo(({ text, start: from, end: to, spans, chosen }: SegmentsProps) => {
  const segments = useMemo(() => segmentsOf({ start: from, end: to }, spans), [from, to, spans])
  return segments.map(({ start, end, unitIds }) => {
    const part = <Visible text={text.slice(start, end)} />
    if (unitIds.includes(chosen)) return <mark key={start}>{part}</mark>
    if (unitIds.some(isFound)) {
      return (
        <mark key={start} className="bg-transparent! underline decoration-accent decoration-2">
          {part}
        </mark>
      )
    }
    return <span key={start}>{part}</span>
  })
})
