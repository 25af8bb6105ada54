import { type IAudioMetadata, type ICommonTagsResult, parseFile } from 'music-metadata'
import type { Locator } from '../../model/unit.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { described } from './described.ts'

/** A recording is one Unit over its whole length. Its text is its name, its tags and its sidecar. */
export async function readRecording(file: OpenFile): Promise<Structure> {
  const { format, common } = await metadataOf(file)
  const { hasVideo = false, duration } = format
  // A file that is cut off after its first bytes has neither.
  if (format.codec === undefined && duration === undefined) throw damaged()
  const modality = hasVideo ? 'video_shot' : 'audio_utterance'
  const place = { modality, media: 'recording', locator: wholeLength(duration) } as const
  const units = [{ ...place, ...described(file, tags(common)) }]
  const mime = mimeOf(format.container ?? '', hasVideo)
  return { mime, text: null, textIsFile: false, charset: null, blocks: [], units, attachments: [] }
}

/** `duration` in seconds; some streams do not say it. */
function wholeLength(duration: number | undefined): Locator | null {
  return duration === undefined ? null : { kind: 'time_range', tStartMs: 0, tEndMs: Math.round(duration * 1000) }
}

async function metadataOf({ path }: OpenFile): Promise<IAudioMetadata> {
  try {
    return await parseFile(path, { skipCovers: true })
  } catch {
    throw damaged()
  }
}

const damaged = () => new ParseError('malformed', 'The recording is damaged.')

function tags(common: ICommonTagsResult): string[] {
  const { title, subtitle, artist, composer, album, genre, comment, description, keywords, lyrics } = common
  const names = [title, subtitle, artist, composer, album, genre?.join(', ')]
  const texts = [...(comment ?? []), ...(lyrics ?? [])].map((each) => each.text)
  return [...names, description, keywords, texts].flat().filter((tag) => tag !== undefined)
}

/** By the container that the library names; the first that fits. */
const containers: readonly [RegExp, string][] = [
  [/^wave/i, 'wav'],
  [/^flac/i, 'flac'],
  [/^ogg/i, 'ogg'],
  [/^aif/i, 'aiff'],
  [/^adts/i, 'aac'],
  [/webm/i, 'webm'],
  [/matroska|ebml/i, 'x-matroska'],
  [/^qt\b/i, 'quicktime'],
  [/mp4|m4a|isom|iso\d|avc1|dash/i, 'mp4'],
  [/^mpeg/i, 'mpeg'],
]

function mimeOf(container: string, hasVideo: boolean): string {
  const kind = containers.find(([pattern]) => pattern.test(container))?.[1]
  if (kind === undefined) return hasVideo ? 'video/mp4' : 'audio/mpeg'
  return `${hasVideo ? 'video' : 'audio'}/${kind}`
}
