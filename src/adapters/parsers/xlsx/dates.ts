import { descendants, element, elements, type XmlElement } from '../xml-tree/parse-xml.ts'

const builtIn = (format: number) => (format >= 14 && format <= 22) || (format >= 45 && format <= 47)

/** The styles, by number, that show a cell's number as a date or time (ECMA-376 part 1, 18.8.30). */
export function dateStyles(styles: XmlElement): Set<number> {
  const own = new Set(
    descendants(styles, 'numFmt')
      .filter(({ attributes: { formatCode = '' } }) =>
        /[ymdhs]/i.test(formatCode.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')),
      )
      .map(({ attributes: { numFmtId } }) => Number(numFmtId)),
  )
  const formats = element(styles, 'cellXfs')
  const dates = new Set<number>()
  for (const [i, format] of (formats ? elements(formats, 'xf') : []).entries()) {
    const id = Number(format.attributes.numFmtId)
    if (builtIn(id) || own.has(id)) dates.add(i)
  }
  return dates
}

const dayMs = 86_400_000
/** Day 0, so that days after February 1900 are right: the format takes 1900 for a leap year. */
const epoch = Date.UTC(1899, 11, 30)

/** `2024-05-01`, `2024-05-01 13:30:00`, or `13:30:00` for a time without a day. */
export function dateText(days: number): string {
  const date = new Date(epoch + Math.round((days * dayMs) / 1000) * 1000)
  if (Number.isNaN(date.getTime())) return String(days)
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  if (days < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}
