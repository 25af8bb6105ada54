import { z } from 'zod'
import type { Rendition } from '../../ports/catalog.ts'
import { label } from '../input/parse.ts'

export const sourceInput = z.strictObject({
  data: z.instanceof(Uint8Array).refine((data) => data.length > 0, 'must not be empty'),
  mime: label(255).default('application/octet-stream'),
})
export type SourceInput = z.output<typeof sourceInput>

export const uploadInput = z.strictObject({
  bytes: z.int('must be an integer').min(1, 'must be at least 1').max(Number.MAX_SAFE_INTEGER),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .optional(),
  mime: label(255).optional(),
  name: label(255).optional(),
})
export type UploadInput = z.output<typeof uploadInput>

export const renditions = ['original', 'text'] as const satisfies readonly Rendition[]

export const sourceLinkInput = z.strictObject({ unitId: label(), rendition: z.enum(renditions).default('original') })
export type SourceLinkInput = z.output<typeof sourceLinkInput>
