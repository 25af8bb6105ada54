/** `.93`, or `1.00`. */
export const shareText = (share: number): string => share.toFixed(2).replace(/^0/, '')

/** `12 ms`, or `1.4 s`. */
export const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`

const size = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
/** `1.2 MB`, in powers of ten. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const step = Math.min(4, Math.floor(Math.log10(bytes) / 3))
  return `${size.format(bytes / 1_000 ** step)} ${['B', 'kB', 'MB', 'GB', 'TB'][step]}`
}

/** What each `hiddenCount` says of hidden Units. */
export const hiddenCounts = { exact: 'the exact number', some: 'only whether there are any', off: 'nothing' } as const

/** A scope that rights reach; `*` stands for all of them. */
export const scopeText = (scope: string): string => (scope === '*' ? 'all scopes' : scope)

/** The same where it stands by itself. */
export const scopeTitle = (scope: string): string => (scope === '*' ? 'All scopes' : scope)

// Made once, as the formats of moments: a row of a list may have one.
const number = new Intl.NumberFormat()
/** `1,490`. */
export const numberText = (value: number): string => number.format(value)

/** `1 file`, `2 files`. */
export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : more}`

const planes: Record<string, string> = { text: 'Text', visual: 'Picture', audio: 'Audio', doc_visual: 'Page' }
export const planeColours = {
  text: 'text-plane-text',
  visual: 'text-plane-visual',
  audio: 'text-plane-audio',
  doc_visual: 'text-plane-doc-visual',
} as const
/** What people call a plane. */
export const planeText = (plane: string): string => planes[plane] ?? plane
export const planesText = (names: readonly string[]): string => names.map(planeText).join(', ')

const modalities: Record<string, string> = {
  text: 'Text',
  chunk: 'Passage',
  image: 'Picture',
  image_region: 'Part of a picture',
  doc_page: 'Page',
  ocr: 'Text in a picture',
  caption: 'Caption',
  detection: 'Object',
  audio_utterance: 'Speech',
  asr: 'Transcript',
  video_shot: 'Video',
  log_template: 'Log lines',
}
/** What people call a modality. */
export const modalityText = (modality: string): string => modalities[modality] ?? modality.replaceAll('_', ' ')
