import { format, getFormatInfo } from 'numfmt'

/** Workbooks show 15 digits: 0.1 + 0.2 is 0.3. */
export const general = (value: number): string => String(Number(value.toPrecision(15))).toUpperCase()

/** Programs write no longer ones. */
const maxCode = 255
const serialOf1904 = 1462

/** What a cell shows, of its number or its text. */
export type Show = (value: number | string) => string

/**
 * How a workbook shows a cell by a format code such as `0.0%`, `[h]:mm` or `@" kg"`. `isLocal`: a date that each reader
 * sees in the form of his own country. It is written `2024-05-01`. A code of no sections, `;;;`, shows nothing to a
 * person. The value is read all the same.
 */
export function numberFormat(code: string, { is1904 = false, isLocal = false } = {}): Show {
  const type = code.length > maxCode || /^(general|@|;*)$/i.test(code) ? 'error' : typeOf(code)
  if (type === 'error') return (value) => (typeof value === 'string' ? value : general(value))
  const hasText = code.includes('@')
  const isDate = ['date', 'datetime', 'time'].includes(type) && !/\[[hms]+\]/i.test(code)
  // A currency names its country, but the reader's own says how numbers look.
  // Libraries name the code 47 without its colon.
  const shown = isDate ? code.replace(/^mmss/, 'mm:ss') : code.replace(/\[\$([^\]-]*)-[^\]]*\]/g, '[$$$1]')
  return (value) => {
    if (typeof value === 'string') return hasText ? format(shown, value) : value
    const shifted = is1904 && isDate && value >= 1 ? value + serialOf1904 : value
    if (isLocal && isDate) return dateText(shifted)
    try {
      return format(shown, shifted).trim()
    } catch {
      return general(value)
    }
  }
}

function typeOf(code: string): string {
  try {
    return getFormatInfo(code).type
  } catch {
    return 'error'
  }
}

const dayMs = 86_400_000
/** Day 0, so that days after February 1900 are right: the format takes 1900 for a leap year. */
const epoch = Date.UTC(1899, 11, 30)

/** `2024-05-01`, `2024-05-01 13:30:00`, or `13:30:00` for a time without a day. */
function dateText(days: number): string {
  const date = new Date(epoch + Math.round((days * dayMs) / 1000) * 1000)
  if (Number.isNaN(date.getTime())) return String(days)
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  if (days < 1) return time
  return time === '00:00:00' ? day : `${day} ${time}`
}
