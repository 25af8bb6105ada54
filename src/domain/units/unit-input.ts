import { z } from 'zod'
import { modalities, planes } from '../../model/unit.ts'
import { checkedLater } from '../input/checked-later.ts'
import { language, scopePath } from '../input/fields.ts'
import { filtersInput } from '../input/filters.ts'
import { metadata } from '../input/metadata.ts'
import { pageInput } from '../input/page.ts'
import { label, text } from '../input/parse.ts'
import { vector } from '../input/vector.ts'

const mebibyte = 2 ** 20
const spanProblem = 'must not end before it starts'
const position = z.int('must be an integer').min(0, 'must not be negative').max(Number.MAX_SAFE_INTEGER)
const fraction = z
  .number('must be a number between 0 and 1')
  .min(0, 'must be between 0 and 1')
  .max(1, 'must be between 0 and 1')

const locatorKind = 'must be one of time_range, bbox, char_span, line_range, with only the fields of that kind'
const locator = z.discriminatedUnion(
  'kind',
  [
    z
      .strictObject({ kind: z.literal('time_range'), tStartMs: position, tEndMs: position })
      .refine((l) => l.tStartMs <= l.tEndMs, spanProblem),
    z
      .strictObject({
        kind: z.literal('bbox'),
        page: position.optional(),
        x: fraction,
        y: fraction,
        w: fraction,
        h: fraction,
      })
      .refine((l) => l.x + l.w <= 1 + 1e-9 && l.y + l.h <= 1 + 1e-9, 'must lie within the page or frame'),
    z
      .strictObject({ kind: z.literal('char_span'), start: position, end: position })
      .refine((l) => l.start <= l.end, spanProblem),
    z
      .strictObject({ kind: z.literal('line_range'), start: position.min(1, 'must be at least 1'), end: position })
      .refine((l) => l.start <= l.end, spanProblem),
  ],
  locatorKind,
)

/** The fields that may also change later, in place. */
const changeable = {
  aclOwner: label().optional(),
  aclGroups: z.array(label()).max(64, 'must be at most 64 groups').optional(),
  metadata: metadata.optional(),
  title: text(1024).optional(),
}

export const unitInput = z
  .strictObject({
    unitId: label().optional(),
    scope: scopePath.optional(),
    text: text(mebibyte)
      .refine((s) => s.length < mebibyte / 4 || Buffer.byteLength(s) <= mebibyte, 'must be at most 1 MiB')
      .optional(),
    modality: z.enum(modalities).default('text'),
    plane: z.enum(planes).optional(),
    sourceUri: label(2048).optional(),
    mime: label(255).optional(),
    locator: locator.optional(),
    docId: label().optional(),
    externalId: label().optional(),
    ...changeable,
    language: language.optional(),
    vector: vector.optional(),
  })
  .refine((u) => Boolean(u.text) || u.vector || u.sourceUri, 'at least one of text, vector and source_uri is required')

/** Its Units are checked later, because a batch may have megabytes. */
export const ingestInput = z.strictObject({
  units: z
    .array(checkedLater(unitInput), 'must be a list')
    .min(1, 'must not be empty')
    .max(1000, 'must be at most 1000 Units'),
})
export type IngestInput = z.output<typeof ingestInput>

export type ValidUnit = z.output<typeof unitInput>

/** The id of a Unit, otherwise the external id of one that the caller ingested. */
export const unitsInput = z.strictObject({ ...pageInput.shape, filters: filtersInput.prefault({}) })
export type UnitsInput = z.output<typeof unitsInput>

export const unitIdInput = z.strictObject({ unitId: label() })

export const unitUpdate = z.strictObject({
  unitId: label(),
  input: z
    .strictObject({ ...changeable, version: z.int('must be an integer').optional() })
    .refine(
      (i) => (i.aclOwner ?? i.aclGroups ?? i.metadata ?? i.title) !== undefined,
      'must change at least one field',
    ),
})
export type UnitChanges = z.output<typeof unitUpdate>['input']

/** Maximum Unit ids of one restore. */
export const maxRestored = 1000

export const restoreInput = z.strictObject({
  ids: z.array(label()).min(1, 'must not be empty').max(maxRestored, `must be at most ${maxRestored} ids`),
})
