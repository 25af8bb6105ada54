import type { PDFDocumentLoadingTask } from 'pdfjs-dist'
import { useEffect, useRef } from 'react'
import { openPdf } from '../view/open-pdf.ts'
import { oneAtATime } from '../view/turns.ts'

export interface PdfThumbnailProps {
  url: string
  page: number
  /** Called with width by height, once the page is drawn. */
  onRatio(ratio: number): void
  onBroken(): void
}

const inTurn = oneAtATime()

/** Of the longer side, in CSS px. */
const side = 96

/** One page of a PDF, small. */
export function PdfThumbnail({ url, page, onRatio, onBroken }: PdfThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const tell = useRef({ onRatio, onBroken })
  tell.current = { onRatio, onBroken }
  useEffect(() => {
    let isGone = false
    inTurn(async () => {
      const element = canvas.current
      if (isGone || element === null) return
      const ratio = await draw(element, url, page)
      if (!isGone) tell.current.onRatio(ratio)
    }).catch(() => {
      if (!isGone) tell.current.onBroken()
    })
    return () => {
      isGone = true
    }
  }, [url, page])
  return <canvas ref={canvas} className="size-full" />
}

async function draw(canvas: HTMLCanvasElement, url: string, page: number): Promise<number> {
  const file = await opened(url).promise
  const source = await file.getPage(page)
  const { width, height } = source.getViewport({ scale: 1 })
  const viewport = source.getViewport({ scale: (side / Math.max(width, height)) * Math.min(2, devicePixelRatio) })
  Object.assign(canvas, { width: Math.round(viewport.width), height: Math.round(viewport.height) })
  await source.render({ canvas, viewport }).promise
  source.cleanup()
  return width / height
}

let last: { url: string; task: PDFDocumentLoadingTask } | null = null

/** One file is open at a time: hits of one document often stand together. */
function opened(url: string): PDFDocumentLoadingTask {
  if (last?.url === url) return last.task
  void last?.task.destroy()
  last = { url, task: openPdf(url, { isWhole: false }) }
  return last.task
}
