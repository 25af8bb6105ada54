import type { Format } from '../../../ports/format.ts'

/** What the first bytes of a recording are, by its container. */
const marks = [
  /^ID3/,
  /^\xff[\xe2-\xe7\xf2-\xf7\xfa\xfb]/,
  /^\xff[\xf0\xf1\xf8\xf9]/,
  /^RIFF.{4}(WAVE|AVI )/s,
  /^fLaC/,
  /^OggS/,
  /^FORM.{4}AIF[FC]/s,
  /^.E\xdf\xa3/s,
  /^.{4}(ftyp(?!heic|heix|mif1|msf1)|moov|mdat)/s,
]

export const recording: Format = {
  name: 'a recording',
  extensions: [
    'mp3',
    'wav',
    'flac',
    'ogg',
    'oga',
    'opus',
    'm4a',
    'aac',
    'aiff',
    'mp4',
    'm4v',
    'mov',
    'webm',
    'mkv',
    'ogv',
  ],
  kind: 'binary',
  claims: ({ head }) => {
    const start = Buffer.from(head.subarray(0, 32)).toString('latin1')
    return marks.some((mark) => mark.test(start))
  },
  load: async () => (await import('./read-recording.ts')).readRecording,
}
