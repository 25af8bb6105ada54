import { useVirtualizer } from '@tanstack/react-virtual'
import { type PDFDocumentProxy, RenderingCancelledException } from 'pdfjs-dist'
import { useEffect, useRef, useState } from 'react'
import { Problem } from '../../components/problem.tsx'
import { useUrl } from '../../session/url.ts'
import { Boxes } from './boxes.tsx'
import { type FoundOnPage, placesOf } from './find.ts'
import { openPdf } from './open-pdf.ts'
import { PageBar, useZoom } from './page-bar.tsx'
import { PdfSkeleton } from './pdf-skeleton.tsx'
import type { SourceProps } from './places.ts'
import { oneAtATime } from './turns.ts'

interface OpenFile {
  file: PDFDocumentProxy
  /** Height by width of the first page. */
  ratio: number
  inTurn: ReturnType<typeof oneAtATime>
}

export interface PdfSourceProps extends SourceProps {
  url: string
  found?: FoundOnPage | undefined
}

/** A PDF at the page of the chosen Unit. Only the pages in sight are drawn. */
export function PdfSource({ url, ...shown }: PdfSourceProps) {
  const [loaded, setLoaded] = useState(0)
  const [pdf, setPdf] = useState<OpenFile | null>(null)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const task = openPdf(url, { isWhole: true })
    task.onProgress = ({ loaded: bytes, total }: { loaded: number; total: number }) => setLoaded(bytes / total)
    const open = async () => {
      const file = await task.promise
      const { width, height } = (await file.getPage(1)).getViewport({ scale: 1 })
      setPdf({ file, ratio: height / width, inTurn: oneAtATime() })
    }
    open().catch((failure) => {
      if (!task.destroyed) setError(failure)
    })
    return () => void task.destroy()
  }, [url])
  if (error !== null) return <Problem error={error} />
  return pdf ? <Pages {...pdf} {...shown} /> : <PdfSkeleton loaded={loaded} />
}

const gap = 8

function Pages({ file, ratio, inTurn, found, ...units }: Omit<PdfSourceProps, 'url'> & OpenFile) {
  const scroller = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(0)
  const { get, set } = useUrl()
  const zoom = useZoom()
  const { locator } = units.chosen
  const box = locator?.__typename === 'BoundingBox' ? locator : null
  const named = Number(get('page'))
  const page = named || (found?.page ?? (box?.page || 1))
  // A place low on its page is brought into sight.
  const within = box !== null && page === box.page && !named && !found?.page ? Math.max(0, box.y - 0.05) : 0
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(() => setRoom(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const width = Math.round((room * zoom) / 100)
  const height = Math.round(width * ratio)
  const virtualizer = useVirtualizer({
    count: width === 0 ? 0 : file.numPages,
    getScrollElement: () => scroller.current,
    estimateSize: () => height + gap,
    overscan: 1,
  })
  useEffect(() => {
    if (width === 0) return
    virtualizer.measure()
    virtualizer.scrollToOffset((page - 1) * (height + gap) + within * height)
  }, [virtualizer, width, height, page, within])
  const [words, nth] = [found?.words ?? '', page === found?.page ? found.nth : -1]
  useEffect(() => {
    if (width === 0 || nth < 0) return
    let isGone = false
    placesOnPage(file, page, words)
      .then((places) => {
        const place = places[Math.min(nth, places.length - 1)]
        const element = scroller.current
        if (isGone || place === undefined || element === null) return
        element.scrollTop = (page - 1) * (height + gap) + place.y * height - element.clientHeight / 3
        element.scrollLeft = place.x * width - element.clientWidth / 3
      })
      // Without the place, its page is shown.
      .catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [file, page, words, nth, width, height])
  const middle = (virtualizer.scrollOffset ?? 0) + (scroller.current?.clientHeight ?? 0) / 3
  const inSight = width === 0 ? page : Math.min(file.numPages, Math.floor(middle / (height + gap)) + 1)
  const show = (next: number) => {
    // The same page once more is not a change of the URL.
    if (next === page) virtualizer.scrollToOffset((next - 1) * (height + gap))
    void set({ page: `${next}` }, { replace: true })
  }
  return (
    <div className="flex flex-col gap-2">
      <PageBar page={inSight} count={file.numPages} onPage={show} />
      <div
        ref={scroller}
        tabIndex={0}
        className="aspect-[1/1.414] max-h-[72vh] overflow-auto rounded-surface border border-line bg-hover"
      >
        <div className="relative" style={{ height: virtualizer.getTotalSize(), width }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            <div key={index} className="absolute inset-x-0" style={{ top: start, height }}>
              <PdfPage
                file={file}
                inTurn={inTurn}
                page={index + 1}
                width={width}
                height={height}
                words={words}
                {...units}
              />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

interface PdfPageProps extends SourceProps {
  file: PDFDocumentProxy
  /** Draws the pages of the file one after another. */
  inTurn: ReturnType<typeof oneAtATime>
  /** From 1. */
  page: number
  /** The room that it has, in px. */
  width: number
  height: number
  /** What is looked for. */
  words: string
}

/** Pages that are scrolled past are not worth drawing. */
const waitMs = 80

/** One page, drawn to fit, with the boxes of its Units. */
function PdfPage({ file, inTurn, page, width, height, words, ...units }: PdfPageProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width, height })
  useEffect(() => {
    let isGone = false
    let cancel = () => {}
    const draw = async () => {
      if (isGone) return
      const source = await file.getPage(page)
      const element = canvas.current
      if (isGone || element === null) return
      const natural = source.getViewport({ scale: 1 })
      const scale = Math.min(width / natural.width, height / natural.height)
      setSize({ width: natural.width * scale, height: natural.height * scale })
      const viewport = source.getViewport({ scale: scale * Math.min(2, devicePixelRatio) })
      Object.assign(element, { width: Math.round(viewport.width), height: Math.round(viewport.height) })
      const task = source.render({ canvas: element, viewport })
      cancel = () => task.cancel()
      await task.promise
      // What it was drawn from is not kept.
      source.cleanup()
    }
    const timer = setTimeout(() => {
      inTurn(draw).catch((error) => {
        if (!(error instanceof RenderingCancelledException) && !isGone) console.warn(`page ${page} cannot be drawn`)
      })
    }, waitMs)
    return () => {
      isGone = true
      clearTimeout(timer)
      cancel()
    }
  }, [file, inTurn, page, width, height])
  return (
    <div className="relative mx-auto bg-white" style={size}>
      <canvas ref={canvas} role="img" aria-label={`Page ${page}`} className="size-full" />
      <Boxes {...units} page={page} />
      {words !== '' && <FoundWords file={file} page={page} words={words} />}
    </div>
  )
}

interface Place {
  x: number
  y: number
  w: number
  h: number
}

/** Marks over the found words of a page. */
function FoundWords({ file, page, words }: { file: PDFDocumentProxy; page: number; words: string }) {
  const [places, setPlaces] = useState<readonly Place[]>([])
  useEffect(() => {
    let isGone = false
    placesOnPage(file, page, words)
      .then((found) => !isGone && setPlaces(found))
      .catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [file, page, words])
  return places.map(({ x, y, w, h }) => {
    const [left, top, width, height] = [x, y, w, h].map((share) => `${share * 100}%`)
    return (
      <div
        key={`${left} ${top}`}
        aria-hidden
        data-found
        className="pointer-events-none absolute bg-[#ffd400]/50 mix-blend-multiply"
        style={{ left, top, width, height }}
      />
    )
  })
}

/** In shares of the page, from its left and top. Within a run of text, letters count as equally wide. */
async function placesOnPage(file: PDFDocumentProxy, page: number, words: string): Promise<Place[]> {
  const source = await file.getPage(page)
  const [left = 0, bottom = 0, right = 0, top = 0] = source.view
  const [pageWidth, pageHeight] = [right - left, top - bottom]
  const { items } = await source.getTextContent()
  return items.flatMap((item) => {
    if (!('str' in item) || item.str === '') return []
    const [, , , size = 0, x = 0, y = 0] = item.transform
    return placesOf(words, item.str).map((start) => ({
      x: (x - left + (item.width * start) / item.str.length) / pageWidth,
      y: (top - y - size) / pageHeight,
      w: (item.width * words.length) / item.str.length / pageWidth,
      h: (size * 1.2) / pageHeight,
    }))
  })
}
