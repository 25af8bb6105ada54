import { type PDFDocumentProxy, RenderingCancelledException } from 'pdfjs-dist'
import { useEffect, useRef, useState } from 'react'
import { Boxes } from './boxes.tsx'
import type { SourceProps } from './source.tsx'
import type { oneAtATime } from './turns.ts'

export interface PdfPageProps extends SourceProps {
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
export function PdfPage({ file, inTurn, page, width, height, ...units }: PdfPageProps) {
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
