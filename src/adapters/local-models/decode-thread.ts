import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { IMagickImage, MagickFormat } from '@imagemagick/magick-wasm'
import { answerCalls } from '../../async/calls.ts'
import type { DecodeCalls, Decoded, Fit, Pixels, Size } from './pixels.ts'

// A thread that decodes pictures with ImageMagick as WebAssembly: what a hostile picture breaks is its own memory, which
// goes with the thread.

/** The decoder of each type of picture. ImageMagick reads many more, which nobody may choose by the bytes of a file. */
const decoders: Readonly<Record<string, MagickFormat>> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WEBP',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
  'image/jxl': 'JXL',
  'image/bmp': 'BMP',
  'image/tiff': 'TIFF',
}

/** An A3 page scanned at 600 dpi has 70 million, one of A4 35 million. */
const maxPixels = 72_000_000
/** A model looks at the middle of a picture that is longer than this many times its width: more would be enlarged for nothing. */
const maxRatio = 8

async function decode(mime: string, bytes: Uint8Array, fit: Fit): Promise<Decoded> {
  const magick = await loaded()
  const format = decoders[mime]
  if (format === undefined) return { problem: 'type' }
  try {
    // Of several pictures in one file, the first.
    const settings = new magick.MagickReadSettings({ format, frameIndex: 0, frameCount: 1 })
    const info = new magick.MagickImageInfo()
    info.read(bytes, settings)
    if (info.width * info.height > maxPixels) return { problem: 'size' }
    return magick.ImageMagick.read(bytes, settings, (image) => pixelsOf(magick, image, fit))
  } catch {
    return { problem: 'damage' }
  }
}

function pixelsOf(magick: Magick, image: IMagickImage, fit: Fit): Pixels {
  const { AlphaAction, MagickColor } = magick
  if ('maxSide' in fit) shrink(magick, image, fit.maxSide)
  // White paper behind what is transparent.
  image.backgroundColor = new MagickColor('white')
  image.alpha(AlphaAction.Remove)
  image.autoOrient()
  if ('crop' in fit) resizeAndCrop(magick, image, fit)
  const { width, height } = image
  const data = image.getPixels((pixels) => pixels.toByteArray(0, 0, width, height, 'RGB'))
  if (data?.length !== width * height * 3) throw new Error('no pixels')
  return { width, height, data: Uint8Array.from(data) }
}

function shrink({ FilterType }: Magick, image: IMagickImage, maxSide: number): void {
  const scale = maxSide / Math.max(image.width, image.height)
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  if (scale < 1) image.resize(side(image.width), side(image.height), FilterType.Box)
}

/** As the processors of transformers do it: https://huggingface.co/docs/transformers/main_classes/image_processor */
function resizeAndCrop(
  magick: Magick,
  image: IMagickImage,
  { resize, crop, filter }: Extract<Fit, { crop: Size }>,
): void {
  const { FilterType, Gravity, MagickGeometry } = magick
  let to: Size
  if ('shortest' in resize) {
    const shorter = Math.min(image.width, image.height)
    const limited = (length: number) => Math.min(length, shorter * maxRatio)
    image.crop(limited(image.width), limited(image.height), Gravity.Center)
    const side = (length: number) => Math.floor((length * resize.shortest) / shorter)
    to = { width: side(image.width), height: side(image.height) }
  } else to = resize
  const exact = new MagickGeometry(to.width, to.height)
  exact.ignoreAspectRatio = true
  image.resize(exact, FilterType[filter])
  image.resetPage()
  const [x, y] = [(to.width - crop.width) >> 1, (to.height - crop.height) >> 1]
  image.crop(new MagickGeometry(x, y, crop.width, crop.height))
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
    throw new Error(`pictures need the package @imagemagick/magick-wasm, which cannot be loaded (${reason})`)
  }
}

answerCalls<DecodeCalls>({ decode: ({ mime, bytes, fit }) => decode(mime, bytes, fit) })
