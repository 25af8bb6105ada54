import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { Problem } from '../../components/problem.tsx'
import { Visible } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useUrl } from '../../session/url.ts'
import type { Found } from './find.ts'
import { type Layout, layoutOf } from './layout.ts'
import { piecesOf } from './lines.ts'
import { type SourceProps, spansOf } from './places.ts'
import { byStart, type Quote, quoteOf, quoteSpan } from './quote.ts'
import { TextLines } from './text-lines.tsx'
import { useSourceLink, type Viewed } from './use-source-link.ts'

const LaidOut = lazy(() => import('./laid-out.tsx').then(({ LaidOut: Component }) => ({ default: Component })))

/** Beyond this, dividing the text into lines would hold up the page. */
const maxBytes = 8 * 1024 * 1024

export function useSourceText(viewed: Viewed) {
  const { owner, link, error, isLoading, refetch } = useSourceLink(viewed, 'text')
  const isShown = link !== null && link !== undefined && link.bytes <= maxBytes
  const text = useQuery({
    // Not the link, which ends: the text of one source does not change.
    queryKey: ['source text', owner?.unitId, owner?.sourceUri],
    queryFn: ({ signal }) => load(link?.url ?? '', signal),
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return { link, error, refetch, isShown, text, isLoading: isLoading || text.isLoading }
}

const headings = {
  sheets: 'Table',
  slides: 'Slides',
  mail: 'Message',
  code: 'Code',
  pages: 'Text',
  text: 'Text',
} as const

export interface SourceTextProps extends SourceProps {
  ofSource: ReturnType<typeof useSourceText>
  found?: Found
}

/** The text that places of Units point into, with all of them marked. Without one, the texts of the Units. */
export function SourceText({ units, chosen, ofSource, found }: SourceTextProps) {
  const quote = quoteOf(useUrl().get('quote'), chosen.text ?? '')
  const layout = layoutOf(chosen.mime, units)
  const { link, error, refetch, isShown, text } = ofSource
  return (
    <section aria-label="Text" className="flex min-w-0 flex-col gap-2">
      <h2>{headings[layout]}</h2>
      {error && <Problem error={error} onRetry={refetch} />}
      {text.error && <Problem error={text.error} onRetry={refetch} />}
      {link && !isShown && <TooLong url={link.url} bytes={link.bytes} />}
      {(link === undefined || (isShown && !text.data)) && !error && !text.error && <Skeleton rows={6} />}
      {isShown && text.data !== undefined && (
        <Marked text={text.data} layout={layout} units={units} chosen={chosen} quote={quote} found={found} />
      )}
      {(link === null || (link && !isShown)) && (
        <p dir="auto" className="rounded-surface border border-line bg-surface p-4 whitespace-pre-wrap">
          <UnitText text={chosen.text ?? 'This Unit has no text.'} quote={quote} />
        </p>
      )}
    </section>
  )
}

function UnitText({ text, quote }: { text: string; quote: Quote | null }) {
  if (quote === null) return <Visible text={text} />
  return (
    <>
      <Visible text={text.slice(0, quote.start)} />
      <mark>
        <Visible text={quote.words} />
      </mark>
      <Visible text={text.slice(quote.start + quote.words.length)} />
    </>
  )
}

interface MarkedProps extends SourceProps {
  text: string
  layout: Layout
  quote: Quote | null
  found: Found | undefined
}

function Marked({ text: raw, layout, units, chosen, quote, found }: MarkedProps) {
  const ofFile = useMemo(() => units.filter(({ sourceUri }) => sourceUri === chosen.sourceUri), [units, chosen])
  // Who opened the file and no Unit of it sees none marked.
  const isNamed = useUrl().get('unit') !== undefined
  // The end of a page is the end of a line; no offset changes.
  const text = useMemo(() => (layout === 'pages' ? raw.replaceAll('\f', '\n') : raw), [raw, layout])
  const pieces = useMemo(() => piecesOf(text), [text])
  const ofUnits = useMemo(() => spansOf(ofFile, pieces, text.length), [ofFile, pieces, text])
  const quoted = useMemo(
    () => quoteSpan(quote?.words ?? '', text, chosen.unitId, ofUnits),
    [quote?.words, text, chosen, ofUnits],
  )
  const shown = found?.spans[found.at] ?? quoted
  const spans = useMemo(
    () => [...ofUnits, ...(quoted ? [quoted] : []), ...(found?.spans ?? [])].toSorted(byStart),
    [ofUnits, quoted, found],
  )
  const props = { text, pieces, spans, chosen: shown?.unitId ?? (isNamed ? chosen.unitId : '') }
  if (layout === 'sheets' || layout === 'slides' || layout === 'mail') {
    return (
      <Suspense fallback={<Skeleton rows={6} />}>
        <LaidOut layout={layout} units={ofFile} mime={chosen.mime} own={isNamed ? chosen.unitId : ''} {...props} />
      </Suspense>
    )
  }
  return <TextLines isCode={layout === 'code'} {...props} />
}

const TooLong = ({ url, bytes }: { url: string; bytes: number }) => (
  <p>
    The text has {Math.round(bytes / 1024 ** 2)} MiB, too much for this page.{' '}
    <a href={url} rel="noreferrer" className="underline">
      Open it
    </a>
    . This is the chosen Unit:
  </p>
)

async function load(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error('The link to the text has ended. Load the page again.')
  return response.text()
}
