import { z } from 'zod'
import type { Rendition } from '../../ports/catalog.ts'
import { label } from '../input/parse.ts'

export const sourceInput = z
  .strictObject({
    data: z
      .instanceof(Uint8Array)
      .refine((data) => data.length > 0, 'must not be empty')
      .meta({ scalar: 'Bytes', description: 'The bytes.' }),
    mime: label(255).default('application/octet-stream').describe('Content type.'),
    name: label(255).optional().describe('File name.'),
  })
  .meta({ title: 'CreateSourceInput', about: 'A raw source to upload.' })
export type SourceInput = z.output<typeof sourceInput>

export const sourceUriInput = z.strictObject({ sourceUri: label(2048).describe('A source that you uploaded.') })

export const uploadInput = z
  .strictObject({
    bytes: z
      .int('must be an integer')
      .min(1, 'must be at least 1')
      .max(Number.MAX_SAFE_INTEGER)
      .describe('Size, at most `MAX_SOURCE_MB`.'),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
      .optional()
      .describe('SHA-256 of the bytes, in hex: other bytes are refused.'),
    mime: label(255).optional().describe('Content type. It decides between kinds of text only.'),
    name: label(255).optional().describe('File name.'),
  })
  .meta({ title: 'CreateUploadInput', about: 'A source to upload.' })
export type UploadInput = z.output<typeof uploadInput>

export const renditions = ['original', 'text'] as const satisfies readonly Rendition[]

export const sourceLinkInput = z.strictObject({
  unitId: label().describe('The id of the Unit, as for `unit`.'),
  rendition: z.enum(renditions).default('original').meta({ description: 'Which form.', showsDefault: true }),
})
export type SourceLinkInput = z.output<typeof sourceLinkInput>
