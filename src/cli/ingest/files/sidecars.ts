const pictures = 'png jpg jpeg jpe gif webp avif bmp tif tiff heic heif'
const recordings = 'mp3 wav m4a ogg oga opus flac aac wma aif aiff mp4 m4v mov webm mkv avi mpg mpeg ogv'
const media = new Set(`${pictures} ${recordings}`.split(' '))

/** Whether texts beside a file of this name belong to it. */
export const mayHaveSidecar = (name: string): boolean =>
  media.has(/[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '')

/** The name of a file's sidecar among the names in its folder; null if it has none. */
export function sidecarOf(name: string, names: ReadonlySet<string>): string | null {
  if (!mayHaveSidecar(name)) return null
  const stem = name.slice(0, name.lastIndexOf('.'))
  const candidates = [`${name}.txt`, `${name}.json`, `${stem}.txt`, `${stem}.json`]
  return candidates.find((candidate) => names.has(candidate)) ?? null
}
