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

/** A PDF of these pages. `drawing`: operators of PDF before the text of each page. */
export function makePdf(
  pages: readonly { lines: readonly PdfLine[]; drawing?: string }[],
  attachments: readonly PdfAttachment[] = [],
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
  for (const [i, { lines, drawing = '' }] of pages.entries()) {
    const shown = lines.map(({ x, y, text, size = 10 }) => `BT /F1 ${size} Tf ${x} ${y} Td (${escaped(text)}) Tj ET`)
    const content = [drawing, ...shown].join('\n')
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    const marks = files.filter(({ page }) => page === i).map(({ object }) => mark(object))
    const resources = `/Resources << /Font << /F1 3 0 R >> >> /Annots [${marks.join(' ')}]`
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources} /Contents ${objects.length} 0 R >>`)
    kids.push(`${objects.length} 0 R`)
  }
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`
  return assemble(objects)
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
