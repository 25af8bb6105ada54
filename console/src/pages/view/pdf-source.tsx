import { useVirtualizer } from '@tanstack/react-virtual'
import { type PDFDocumentProxy, RenderingCancelledException } from 'pdfjs-dist'
import { useEffect, useRef, useState } from 'react'
import { Problem } from '../../components/problem.tsx'
import { useUrl } from '../../session/url.ts'
import { Boxes } from './boxes.tsx'
import { openPdf } from './open-pdf.ts'
import { PdfSkeleton } from './pdf-skeleton.tsx'
import type { SourceProps } from './places.ts'
import { oneAtATime } from './turns.ts'

interface OpenFile {
  file: PDFDocumentProxy
  /** Height by width of the first page. */
  ratio: number
  inTurn: ReturnType<typeof oneAtATime>
}

/** A PDF at the page of the chosen Unit. Only the pages in sight are drawn. */
export function PdfSource({ url, ...units }: SourceProps & { url: string }) {
  const [pdf, setPdf] = useState<OpenFile | null>(null)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const task = openPdf(url, { isWhole: true })
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
  return pdf ? <Pages {...pdf} {...units} /> : <PdfSkeleton />
}

const gap = 8

function Pages({ file, ratio, inTurn, ...units }: SourceProps & OpenFile) {
  const scroller = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const { get } = useUrl()
  const { locator } = units.chosen
  const page = (locator?.__typename === 'BoundingBox' && locator.page) || Number(get('page')) || 1
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
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
    virtualizer.scrollToIndex(page - 1, { align: 'start' })
  }, [virtualizer, width, page])
  return (
    <div
      ref={scroller}
      tabIndex={0}
      className="aspect-[1/1.414] max-h-[72vh] overflow-auto rounded-surface border border-line bg-hover"
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <div key={index} className="absolute inset-x-0" style={{ top: start, height }}>
            <PdfPage file={file} inTurn={inTurn} page={index + 1} width={width} height={height} {...units} />
          </div>
        ))}
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
}

/** Pages that are scrolled past are not worth drawing. */
const waitMs = 80

/** One page, drawn to fit, with the boxes of its Units. */
function PdfPage({ file, inTurn, page, width, height, ...units }: PdfPageProps) {
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
    </div>
  )
}
