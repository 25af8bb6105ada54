import type { Hit } from './use-search.ts'

const types: readonly [RegExp, string][] = [
  [/^application\/pdf$/, 'PDF'],
  [/wordprocessing|msword|opendocument.text/, 'Text document'],
  [/spreadsheet|excel/, 'Spreadsheet'],
  [/presentation|powerpoint/, 'Presentation'],
  [/^message\/rfc822$/, 'E-mail'],
  [/outlook/, 'Outlook message'],
  [/^text\/plain$/, 'Plain text'],
  [/^text\/markdown$/, 'Markdown'],
  [/html/, 'Web page'],
  [/^text\/csv$/, 'CSV'],
  [/typescript/, 'TypeScript'],
  [/javascript/, 'JavaScript'],
  [/json/, 'JSON'],
  [/subrip|vtt/, 'Subtitles'],
]
const kinds: Record<string, string> = { image: 'picture', audio: 'sound', video: 'video' }

/** A content type as people call it. */
export function typeText(mime: string): string {
  const known = types.find(([pattern]) => pattern.test(mime))
  const [kind = '', format = ''] = mime.split('/')
  const what = kinds[kind]
  if (known) return known[1]
  const name = format.replace(/^x-/, '').split('+')[0] ?? ''
  if (what) return `${name.toUpperCase()} ${what}`
  if (kind !== 'text' || name === '') return mime
  return name.length > 4 ? name[0]?.toUpperCase() + name.slice(1) : name.toUpperCase()
}

/** What a hit is called: its writer's id, its document, else its first words. */
export function titleOf({
  externalId,
  docId,
  text,
  unitId,
}: Pick<Hit, 'externalId' | 'docId' | 'text' | 'unitId'>): string {
  const words = text?.trim().split(/\s+/).slice(0, 8).join(' ').slice(0, 80)
  return externalId || docId || words || unitId
}

/** Where in its source a hit is, in words. */
export function placeOf(locator: Hit['locator']): string | null {
  if (!locator) return null
  switch (locator.__typename) {
    case 'BoundingBox':
      return locator.page === null ? 'region' : `page ${locator.page}`
    case 'TimeRange':
      return `${timeCode(locator.tStartMs)} - ${timeCode(locator.tEndMs)}`
    case 'LineRange':
      return locator.start === locator.end ? `line ${locator.start}` : `lines ${locator.start} - ${locator.end}`
    case 'CharSpan':
      return `characters ${locator.start} - ${locator.end}`
  }
}

/**
 * The number of the first line of code or of a log: 0 if the text is not those lines themselves but stands for them.
 * Null for prose.
 */
export function firstLineOf({ locator, mime, text, textStart }: Hit): number | null {
  if (locator?.__typename !== 'LineRange' || mime === 'text/markdown') return null
  const lines = text?.replace(/\n$/, '').split('\n').length
  return textStart === 0 && lines === locator.end - locator.start + 1 ? locator.start : 0
}

/** `1:02:03`, or `2:03` below an hour. */
export function timeCode(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [hours = 0, ...rest] = parts
  return [...(hours > 0 ? [hours] : []), ...rest]
    .map((part, index) => (index === 0 ? part : `${part}`.padStart(2, '0')))
    .join(':')
}
