import type { OpenFile, Structure } from '../../ports/format.ts'
import { readXmlText } from './parse-xml.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

const texts = new Set(['title', 'desc', 'text', 'foreignObject'])

/** What is written in a drawing: its title, its descriptions, its labels. */
export async function readSvg(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const out = new TextBuilder()
  let label = ''
  let inside = 0
  let left = 0
  readXmlText(text.replace(/<!DOCTYPE[^>[]*(\[[^\]]*\]\s*)?>/i, ''), {
    open: (name) => {
      if (name === 'style' || name === 'script') left++
      if (texts.has(name)) inside++
      // Parts of a label, and what a page in the drawing has on lines of its own.
      if (/^(tspan|div|p|li|br|td)$/.test(name)) label += ' '
    },
    text: (part) => {
      if (inside > 0 && left === 0) label += part
    },
    close: (name) => {
      if (name === 'style' || name === 'script') left--
      if (!texts.has(name) || --inside > 0) return
      out.add(oneLine(label), 'prose', '\n')
      label = ''
    },
  })
  return { ...out.structure('image/svg+xml'), charset }
}
