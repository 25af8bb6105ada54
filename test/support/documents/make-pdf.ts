/** A line of text in a PDF: points from the bottom left corner of a page of 600 × 800. */
export interface PdfLine {
  x: number
  y: number
  text: string
  size?: number
}

/** A file inside a PDF. With `page`, a mark on that page, which counts from 0, opens it. */
export interface PdfAttachment {
  name: string
  content: string
  page?: number
  /** Its bytes are not in the PDF. */
  missing?: boolean
}

/** An entry of the outline. `page` counts from 0; `depth` is at most one more than that of the entry before. */
export interface PdfEntry {
  title: string
  page: number
  depth: number
}

interface PdfPage {
  lines: readonly PdfLine[]
  /** Operators of PDF before the text. */
  drawing?: string
  /** Dictionaries of annotations. */
  marks?: readonly string[]
}

/** A PDF of these pages. */
export function makePdf(
  pages: readonly PdfPage[],
  attachments: readonly PdfAttachment[] = [],
  outline: readonly PdfEntry[] = [],
): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
  const kids: string[] = []
  const files = attachments.map(({ name, content, page, missing }) => {
    objects.push(`<< /Type /EmbeddedFile /Length ${content.length} >>\nstream\n${content}\nendstream`)
    const at = missing ? 9999 : objects.length
    objects.push(`<< /Type /Filespec /F (${escaped(name)}) /EF << /F ${at} 0 R >> >>`)
    return { name, page, object: `${objects.length} 0 R` }
  })
  const named = files.filter(({ page }) => page === undefined).map(({ name, object }) => `(${escaped(name)}) ${object}`)
  if (named.length > 0) {
    objects[0] = `<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [${named.join(' ')}] >> >> >>`
  }
  for (const [i, { lines, drawing = '', marks: own = [] }] of pages.entries()) {
    const shown = lines.map(({ x, y, text, size = 10 }) => `BT /F1 ${size} Tf ${x} ${y} Td (${escaped(text)}) Tj ET`)
    const content = [drawing, ...shown].join('\n')
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    const marks = files
      .filter(({ page }) => page === i)
      .map(({ object }) => mark(object))
      .concat(own)
    const resources = `/Resources << /Font << /F1 3 0 R >> >> /Annots [${marks.join(' ')}]`
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources} /Contents ${objects.length} 0 R >>`)
    kids.push(`${objects.length} 0 R`)
  }
  if (outline.length > 0) addOutline(objects, outline, kids)
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`
  return assemble(objects)
}

function addOutline(objects: string[], outline: readonly PdfEntry[], pages: readonly string[]): void {
  const root = objects.length + 1
  const objectOf = (i: number) => `${root + 1 + i} 0 R`
  /** The entries below one, or of the first level: up to the next that is not deeper. */
  const children = (parent: number) => {
    const depth = parent === -1 ? -1 : (outline[parent]?.depth ?? 0)
    const end = outline.findIndex((entry, i) => i > parent && entry.depth <= depth)
    const below = outline.map((_, i) => i).slice(parent + 1, end === -1 ? undefined : end)
    return below.filter((i) => outline[i]?.depth === depth + 1)
  }
  const links = (parent: number) => {
    const all = children(parent)
    return all.length === 0
      ? ''
      : `/First ${objectOf(all[0] ?? 0)} /Last ${objectOf(all.at(-1) ?? 0)} /Count ${all.length}`
  }
  objects[0] = objects[0]?.replace('/Catalog', `/Catalog /Outlines ${root} 0 R`) ?? ''
  objects.push(`<< /Type /Outlines ${links(-1)} >>`)
  outline.forEach(({ title, page }, i) => {
    const parent = outline.findLastIndex((entry, at) => at < i && entry.depth < (outline[i]?.depth ?? 0))
    const next = children(parent).find((other) => other > i)
    const follows = next === undefined ? '' : `/Next ${objectOf(next)}`
    const above = parent === -1 ? `${root} 0 R` : objectOf(parent)
    objects.push(`<< /Title (${escaped(title)}) /Parent ${above} ${follows} ${links(i)} /Dest [${pages[page]} /Fit] >>`)
  })
}

const mark = (file: string) => `<< /Type /Annot /Subtype /FileAttachment /Rect [10 10 20 20] /FS ${file} >>`

function assemble(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const offset = file.length
    file += `${i + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file + table + trailer, 'latin1')
}

const escaped = (text: string) => text.replace(/[\\()]/g, '\\$&')
