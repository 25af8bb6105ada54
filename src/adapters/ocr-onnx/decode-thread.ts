import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { IMagickImage, MagickFormat } from '@imagemagick/magick-wasm'
import { answerCalls } from '../../async/calls.ts'
import type { DecodeCalls, Pixels } from './messages.ts'

// A thread that decodes pictures with ImageMagick as WebAssembly: what a hostile picture breaks is its own memory, which
// goes with the thread.

/** The decoder of each type of picture. ImageMagick reads many more, which nobody may choose by the bytes of a file. */
const decoders: Readonly<Record<string, MagickFormat>> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WEBP',
  'image/avif': 'AVIF',
  'image/bmp': 'BMP',
  'image/tiff': 'TIFF',
}

/** An A3 page scanned at 600 dpi has 70 million, one of A4 35 million. */
const maxPixels = 72_000_000
/** Letters that can be read at all are large enough then. Pixels. */
const maxSide = 3_000

async function decode(mime: string, bytes: Uint8Array): Promise<Pixels | { problem: string }> {
  const magick = await loaded()
  const format = decoders[mime]
  if (format === undefined) return { problem: 'Text in pictures of this type is not read.' }
  try {
    // Of several pictures in one file, the first.
    const settings = new magick.MagickReadSettings({ format, frameIndex: 0, frameCount: 1 })
    const info = new magick.MagickImageInfo()
    info.read(bytes, settings)
    if (info.width * info.height > maxPixels) return { problem: 'The picture is too large for its text to be read.' }
    return magick.ImageMagick.read(bytes, settings, (image) => pixelsOf(magick, image))
  } catch {
    return { problem: 'The picture is damaged: its text could not be read.' }
  }
}

function pixelsOf({ FilterType, AlphaAction, MagickColor }: Magick, image: IMagickImage): Pixels {
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height))
  image.filterType = FilterType.Box
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  if (scale < 1) image.resize(side(image.width), side(image.height))
  // White paper behind what is transparent.
  image.backgroundColor = new MagickColor('white')
  image.alpha(AlphaAction.Remove)
  image.autoOrient()
  const { width, height } = image
  const data = image.getPixels((pixels) => pixels.toByteArray(0, 0, width, height, 'RGB'))
  if (data?.length !== width * height * 3) throw new Error('no pixels')
  return { width, height, data: Uint8Array.from(data) }
}

type Magick = typeof import('@imagemagick/magick-wasm')

let magick: Promise<Magick> | null = null

const loaded = (): Promise<Magick> => {
  magick ??= load()
  return magick
}

async function load(): Promise<Magick> {
  try {
    const module = await import('@imagemagick/magick-wasm')
    const wasm = fileURLToPath(import.meta.resolve('@imagemagick/magick-wasm/magick.wasm'))
    await module.initializeImageMagick(readFileSync(wasm))
    return module
  } catch (error) {
    magick = null
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new Error(`text in pictures needs the package @imagemagick/magick-wasm, which cannot be loaded (${reason})`)
  }
}

answerCalls<DecodeCalls>({ decode: ({ mime, bytes }) => decode(mime, bytes) })
