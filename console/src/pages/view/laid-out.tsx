import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Table } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { useUrl } from '../../session/url.ts'
import { isFound } from './find.ts'
import type { ViewUnitFragment } from './generated/graphql.ts'
import { columnName, mailOf, type Part, partsOf, type Row, rowAt, rowsOf, separatorOf } from './layout.ts'
import { Segments, TextLines, type TextLinesProps } from './text-lines.tsx'

export interface LaidOutProps extends Omit<TextLinesProps, 'isCode'> {
  layout: 'sheets' | 'slides' | 'mail'
  /** Of the file. */
  units: readonly ViewUnitFragment[]
  mime: string | null
  /** The Unit that was opened; empty without one. */
  own: string
}

/** A text in the form of its file: rows and columns, slides, or a message. */
export function LaidOut({ layout, ...all }: LaidOutProps) {
  const { spans, own, chosen } = all
  const marks = useMemo(
    () => spans.filter(({ unitId: id }) => id === own || id === chosen || isFound(id)),
    [spans, own, chosen],
  )
  const props = { ...all, spans: marks }
  if (layout === 'sheets') return <Sheets {...props} />
  return layout === 'slides' ? <Slides {...props} /> : <Mail {...props} />
}

type PartsProps = Omit<LaidOutProps, 'layout'>

/** Where the place that is shown begins. */
const shownAt = ({ spans, chosen }: PartsProps) => spans.find(({ unitId }) => unitId === chosen)?.start ?? 0

const partAt = (parts: readonly Part[], offset: number) =>
  Math.max(
    0,
    parts.findLastIndex(({ start }) => start <= offset),
  )

const nothing = () => undefined

function Sheets(props: PartsProps) {
  const { text, pieces, units, mime, spans } = props
  const { get, set } = useUrl()
  const separator = separatorOf(mime, text)
  const sheets = useMemo(() => partsOf(units, text, pieces, 'sheet'), [units, text, pieces])
  const shown = shownAt(props)
  const named = sheets.findIndex(({ name }) => name === get('sheet'))
  const at = named >= 0 ? named : partAt(sheets, shown)
  const sheet = sheets[at]
  const rows = useMemo(() => (sheet ? rowsOf(sheet, text, pieces, separator) : []), [sheet, text, pieces, separator])
  const row = named >= 0 ? 0 : rowAt(rows, shown)
  const [place, setPlace] = useState({ row })
  useEffect(() => setPlace({ row: Math.max(0, row - 3) }), [row])
  const own = spans.find(({ unitId }) => unitId === props.own)
  const columns = useMemo(() => {
    const isOwn = ({ start, end }: Row) => own !== undefined && start < own.end && end > own.start
    // A cell shows what is quoted or found in it. The rows of the Unit show by their numbers.
    const marks = spans.filter(({ unitId }) => unitId !== props.own)
    const sample = rows.slice(0, 200)
    const count = Math.max(1, ...rows.map(({ cells }) => cells.length))
    return [
      {
        title: 'Row',
        width: '64px',
        align: 'end' as const,
        cell: (one: Row) => (
          <span className={isOwn(one) ? 'font-strong text-accent' : 'text-muted'}>
            {isOwn(one) && <span className="sr-only">In the chosen Unit: </span>}
            {one.number}
          </span>
        ),
      },
      ...Array.from({ length: Math.min(count, 200) }, (_, i) => {
        const longest = Math.max(...sample.map(({ cells: { [i]: cell } }) => (cell ? cell.end - cell.start : 0)), 6)
        return {
          title: columnName(i),
          width: `${Math.min(longest, 40) + 4}ch`,
          cell: ({ cells: { [i]: cell } }: Row) =>
            cell && (
              <bdi dir="auto" title={text.slice(cell.start, cell.end)}>
                <Segments text={text} start={cell.start} end={cell.end} spans={marks} chosen={props.chosen} />
              </bdi>
            ),
        }
      }),
    ]
  }, [rows, text, spans, own, props.own, props.chosen])
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {sheets.length > 1 && (
        <div role="group" aria-label="Sheets" className="flex flex-wrap gap-2">
          {sheets.map(({ name }, i) => (
            <Button
              // biome-ignore lint/suspicious/noArrayIndexKey: two sheets may have one name
              key={i}
              aria-pressed={i === at}
              className="aria-pressed:bg-hover aria-pressed:font-strong"
              onClick={() => set({ sheet: name }, { replace: true })}
            >
              <SafeText>{name || `Sheet ${i + 1}`}</SafeText>
            </Button>
          ))}
        </div>
      )}
      <Table
        isGrid
        label={sheet?.name ? `Sheet ${sheet.name}` : 'Rows'}
        columns={columns}
        rows={rows}
        rowKey={({ start, number }) => `${start} ${number}`}
        place={{ offset: 0, total: rows.length, at: place, onScroll: nothing }}
      />
    </div>
  )
}

function Slides(props: PartsProps) {
  const { text, pieces, units, spans, chosen } = props
  const slides = useMemo(() => partsOf(units, text, pieces, 'page'), [units, text, pieces])
  const at = partAt(slides, shownAt(props))
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const slide = list.current?.children.item(at)
    if (list.current && slide instanceof HTMLElement) list.current.scrollTop = slide.offsetTop - 12
  }, [at])
  return (
    <ol
      ref={list}
      aria-label="Slides"
      tabIndex={0}
      className="relative flex max-h-[72vh] flex-col gap-3 overflow-y-auto rounded-surface border border-line bg-hover p-3"
    >
      {slides.map(({ name, start, end }, i) => {
        const { title, body } = slideOf(text, start, end)
        return (
          <li
            key={start}
            aria-current={i === at ? 'true' : undefined}
            className={`flex min-h-40 flex-none flex-col gap-3 rounded-control border bg-surface p-6 [content-visibility:auto] ${i === at ? 'border-accent' : 'border-line'}`}
          >
            <span className="text-small text-muted">Slide {name || i + 1}</span>
            <h3 className="text-h1" dir="auto">
              <Segments text={text} start={title.start} end={title.end} spans={spans} chosen={chosen} />
            </h3>
            <bdi dir="auto" className="whitespace-pre-wrap">
              <Segments text={text} start={body.start} end={body.end} spans={spans} chosen={chosen} />
            </bdi>
          </li>
        )
      })}
    </ol>
  )
}

/** The first line with words, and what comes after it. */
function slideOf(text: string, start: number, end: number) {
  const own = text.slice(start, end)
  const from = start + own.length - own.trimStart().length
  const line = text.indexOf('\n', from)
  const stop = line < 0 || line > end ? end : line
  const rest = text.slice(stop, end)
  const body = { start: stop + rest.length - rest.trimStart().length, end: stop + rest.trimEnd().length }
  return { title: { start: from, end: stop }, body: body.start < body.end ? body : { start: end, end } }
}

function Mail({ text, pieces, spans, chosen }: PartsProps) {
  const mail = useMemo(() => mailOf(text), [text])
  if (mail === null) return <TextLines text={text} pieces={pieces} spans={spans} chosen={chosen} isCode={false} />
  const shown = { text, spans, chosen }
  const { subject, header, body } = mail
  return (
    <article className="rounded-surface border border-line bg-surface">
      <header className="flex flex-col gap-2 border-b border-line p-4">
        <h3 className="text-h1" dir="auto">
          {subject.end > 0 ? <Segments {...shown} start={0} end={subject.end} /> : 'Without a subject'}
        </h3>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {header.map(({ name, start, value, end }) => {
            const at = name === 'Date' ? Date.parse(text.slice(value, end)) : Number.NaN
            const isPlain =
              Number.isNaN(at) || spans.some((span) => isFound(span.unitId) && span.start < end && span.end > value)
            return (
              <div key={start} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd dir="auto" className="min-w-0">
                  {isPlain ? <Segments {...shown} start={value} end={end} /> : <When at={at} />}
                </dd>
              </div>
            )
          })}
        </dl>
      </header>
      <div dir="auto" className="max-h-[60vh] overflow-y-auto p-4 whitespace-pre-wrap" tabIndex={0}>
        <Segments {...shown} start={bodyStart(text, body)} end={text.length} />
      </div>
    </article>
  )
}

/** Past the empty lines below the header. */
const bodyStart = (text: string, from: number) => from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0)
