import { z } from 'zod'
import type { Fit, Size } from '../local-models/pixels.ts'
import type { View } from './messages.ts'

/** How a tower reads pictures: what of them, and as which numbers. */
export interface PictureFiles {
  fit: Fit
  view: View
}

const side = z.number().int().min(1).max(1024)
const square = side.transform((length) => ({ width: length, height: length }))
const box = z.object({ width: side, height: side })
const colours = z.array(z.number()).length(3)

/**
 * preprocessor_config.json, as the processors of CLIP, SigLIP and jina-clip write it:
 * https://huggingface.co/docs/transformers/main_classes/image_processor. Jina has names of its own.
 */
export const preprocessorConfig = z.object({
  do_resize: z.literal(true).default(true),
  do_center_crop: z.boolean().optional(),
  do_pad: z.literal(false).nullish(),
  do_rescale: z.boolean().default(true),
  do_normalize: z.boolean().default(true),
  size: z.union([side, z.array(side).nonempty(), box, z.object({ shortest_edge: side })]),
  crop_size: z.union([square, box]).nullish(),
  resample: z.number().int().min(0).max(4).optional(),
  interpolation: z.enum(['bilinear', 'bicubic']).default('bicubic'),
  resize_mode: z.enum(['shortest', 'squash']).optional(),
  rescale_factor: z
    .number()
    .positive()
    .default(1 / 255),
  image_mean: colours.optional(),
  mean: colours.default([0.5, 0.5, 0.5]),
  image_std: colours.optional(),
  std: colours.default([0.5, 0.5, 0.5]),
})

/** By the numbers of Pillow: https://pillow.readthedocs.io/en/stable/reference/Image.html#resampling-filters */
const filters = ['Point', 'Lanczos', 'Triangle', 'Catrom', 'Box'] as const

/** Throws a sentence for operators where no such picture can be made. */
export function pictureFiles(config: z.infer<typeof preprocessorConfig>): PictureFiles {
  const { size, crop_size, resize_mode, resample = config.interpolation === 'bicubic' ? 3 : 2 } = config
  const isCropped =
    config.do_center_crop ?? (resize_mode === undefined ? crop_size != null : resize_mode === 'shortest')
  const resize = resizeTo(size, isCropped)
  const whole = 'shortest' in resize ? { width: resize.shortest, height: resize.shortest } : resize
  const crop = isCropped ? (crop_size ?? whole) : whole
  if ('shortest' in resize && !isCropped) throw new Error('reads pictures of any size, which is not possible here')
  if (crop.width > whole.width || crop.height > whole.height)
    throw new Error('fills up pictures, which is not possible here')
  const { do_rescale, do_normalize, rescale_factor, image_mean, mean, image_std, std } = config
  return {
    fit: { resize, crop, filter: filters[resample] ?? 'Catrom' },
    view: {
      ...crop,
      scale: do_rescale ? rescale_factor : 1,
      mean: do_normalize ? (image_mean ?? mean) : [0, 0, 0],
      deviation: do_normalize ? (image_std ?? std) : [1, 1, 1],
    },
  }
}

/** A number is the shorter side where the middle is cut out, otherwise both. */
function resizeTo(size: z.infer<typeof preprocessorConfig>['size'], isCropped: boolean): Size | { shortest: number } {
  if (typeof size === 'object' && 'width' in size) return size
  if (typeof size === 'object' && 'shortest_edge' in size) return { shortest: size.shortest_edge }
  const [width = 0, height = width] = [size].flat()
  return isCropped ? { shortest: Math.min(width, height) } : { width, height }
}
