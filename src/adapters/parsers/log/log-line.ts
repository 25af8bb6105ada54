import { wildcard } from './drain.ts'

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const iso = /^\W{0,2}(\d{4})[-/.](\d\d)[-/.](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?\W{0,2}/
const syslog = /^(?:<\d{1,3}>)?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d)/
const compact = /^(\d{6,8})[ -](\d{6})\b/
const clock = /^\W{0,2}(\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?\W{0,2}/
const apache = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\]/
const epoch = /^\W{0,1}(\d{10})(?:[.,]?\d{3,6})?\b/

/** When a line was written, as precisely as it says: ISO 8601 where it has a date. The rest has no time at its start. */
export function timeOf(line: string): { time: string; rest: string } | null {
  const start = line.slice(0, 200)
  const date = iso.exec(start)
  if (date) {
    const [whole, y, mo, d, h, mi, s, fraction, zone = ''] = date
    const time = `${y}-${mo}-${d}T${h}:${mi}:${s}${fraction ? `.${fraction.slice(0, 3)}` : ''}${zone}`
    return { time, rest: line.slice(whole.length) }
  }
  const web = apache.exec(start)
  if (web) {
    const [whole, d, name = '', y, time, hours, minutes] = web
    const mo = String(months.indexOf(name) + 1).padStart(2, '0')
    return { time: `${y}-${mo}-${d}T${time}${hours}:${minutes}`, rest: line.replace(whole, '') }
  }
  const seconds = epoch.exec(start)
  if (seconds?.[1]) {
    return { time: new Date(Number(seconds[1]) * 1000).toISOString(), rest: line.slice(seconds[0].length) }
  }
  const other = syslog.exec(start) ?? compact.exec(start) ?? clock.exec(start)
  return other ? { time: other[0].replace(/^\W+|\W+$/g, ''), rest: line.slice(other[0].length) } : null
}

const maxTokens = 200

/** The words of a message. What has a digit varies: numbers, addresses, identifiers. */
export function tokensOf(message: string): string[] {
  const tokens = message.trim().split(/\s+/, maxTokens)
  return tokens.map((token) => (/\d/.test(token) ? masked(token) : token))
}

/** `port=8080,` -> `port=<*>,`: what names the value stays. */
const masked = (token: string) => {
  const name = /^[A-Za-z_.-]{1,64}[=:]/.exec(token)?.[0] ?? ''
  const end = /[,;:)\]]$/.exec(token)?.[0] ?? ''
  return `${name}${wildcard}${end}`
}
