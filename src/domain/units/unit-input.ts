import { z } from 'zod'
import { modalities, planes } from '../../model/unit.ts'
import { language, scopePath } from '../input/fields.ts'
import { filtersInput } from '../input/filters.ts'
import { pageInput } from '../input/page.ts'
import { checkedLater, label, metadata, text } from '../input/parse.ts'
import { vector } from '../input/vector.ts'
import { unitFilter } from './delete-input.ts'

const mebibyte = 2 ** 20
const spanProblem = 'must not end before it starts'
const position = z.int('must be an integer').min(0, 'must not be negative').max(Number.MAX_SAFE_INTEGER)
const fraction = z
  .number('must be a number between 0 and 1')
  .min(0, 'must be between 0 and 1')
  .max(1, 'must be between 0 and 1')

const locatorKind = 'must be one of time_range, bbox, char_span, line_range, with only the fields of that kind'
const kind = <K extends string>(name: K) => z.literal(name).describe('Which kind this is.')
const locator = z
  .discriminatedUnion(
    'kind',
    [
      z
        .strictObject({
          kind: kind('time_range'),
          tStartMs: position.describe('`time_range`: first millisecond.'),
          tEndMs: position.describe('`time_range`: last millisecond.'),
        })
        .refine((l) => l.tStartMs <= l.tEndMs, spanProblem),
      z
        .strictObject({
          kind: kind('bbox'),
          page: position.optional().meta({ scalar: 'Int', description: '`bbox`: page number.' }),
          x: fraction.describe('`bbox`: left edge.'),
          y: fraction.describe('`bbox`: top edge.'),
          w: fraction.describe('`bbox`: width.'),
          h: fraction.describe('`bbox`: height.'),
        })
        .refine((l) => l.x + l.w <= 1 + 1e-9 && l.y + l.h <= 1 + 1e-9, 'must lie within the page or frame'),
      z
        .strictObject({
          kind: kind('char_span'),
          start: position.describe('`char_span`: first UTF-16 offset; `line_range`: first line, 1-based.'),
          end: position.describe('`char_span`: offset after the last character; `line_range`: last line.'),
        })
        .refine((l) => l.start <= l.end, spanProblem),
      z
        .strictObject({ kind: kind('line_range'), start: position.min(1, 'must be at least 1'), end: position })
        .refine((l) => l.start <= l.end, spanProblem),
    ],
    locatorKind,
  )
  .meta({
    title: 'LocatorInput',
    about: 'A span inside the raw source: `kind`, and the fields of that kind only.',
  })

/** The fields that may also change later, in place. */
const changeable = {
  aclOwner: label().optional(),
  aclGroups: z.array(label()).max(64, 'must be at most 64 groups').optional(),
  metadata: metadata.optional(),
  title: text(1024).optional(),
}

export const unitInput = z
  .strictObject({
    unitId: label()
      .optional()
      .describe('The Unit to update: a readable one in the same scope. If none exists, it is used as `externalId`.'),
    scope: scopePath
      .optional()
      .describe(
        'The requested scope or a writable scope below it. Default: the requested scope. If that is `*`: the active scope if it is a path, otherwise the only writable registered scope.',
      ),
    text: text(mebibyte)
      .refine((s) => s.length < mebibyte / 4 || Buffer.byteLength(s) <= mebibyte, 'must be at most 1 MiB')
      .optional()
      .describe('Text to embed and full-text index, at most 1 MiB.'),
    modality: z.enum(modalities).default('text').describe('What kind of content it is.'),
    plane: z.enum(planes).optional().describe("Defaults to the modality's plane."),
    sourceUri: label(2048).optional().describe('Pointer to the raw source.'),
    mime: label(255).optional().describe('Content type of the source.'),
    locator: locator.optional().describe('Span inside the source.'),
    docId: label().optional().describe('Groups Units under one source; a document holds at most 10,000 of one writer.'),
    externalId: label()
      .optional()
      .describe('Your own id, unique per namespace, scope and writer. If you send it again, that Unit is updated.'),
    aclOwner: changeable.aclOwner.describe('The owning principal; defaults to the caller.'),
    aclGroups: changeable.aclGroups.describe('Groups that may read it; `*` is everyone who may read the scope.'),
    metadata: changeable.metadata.describe('Your own fields, at most 16 KiB.'),
    title: changeable.title.describe(
      'Ranked with the text, and never quoted: the path of headings above it, joined by ` > `.',
    ),
    language: language
      .optional()
      .describe('Of the text, as a BCP 47 tag: it says how words are stemmed. Default: detected from the text.'),
    vector: vector.optional().describe('Your own embedding. The first one sets the dimensions of the plane.'),
  })
  .refine((u) => Boolean(u.text) || u.vector || u.sourceUri, 'at least one of text, vector and source_uri is required')
  .meta({ title: 'UnitInput', about: 'A Unit to ingest. It needs `text`, `vector` or `sourceUri`.' })

/** Its Units are checked later, because a batch may have megabytes. */
export const ingestInput = z
  .strictObject({
    units: z
      .array(checkedLater(unitInput), 'must be a list')
      .min(1, 'must not be empty')
      .max(1000, 'must be at most 1000 Units')
      .describe('The Units.'),
  })
  .meta({ title: 'IngestInput', about: 'A batch. Either all of it is written or nothing.' })
export type IngestInput = z.output<typeof ingestInput>

export type ValidUnit = z.output<typeof unitInput>

export const unitsInput = pageInput('Offset among the visible Units.').extend({
  filters: filtersInput.prefault({}).describe('Only Units that meet them.'),
})
export type UnitsInput = z.output<typeof unitsInput>

export const unitIdInput = z.strictObject({
  unitId: label().describe('The id, or the external id of a Unit that the caller ingested.'),
})

const maxAside = z.int('must be 0 to 20').min(0, 'must be 0 to 20').max(20, 'must be 0 to 20').default(2)

export const neighboursInput = unitIdInput.extend({
  before: maxAside.describe('How many before it.'),
  after: maxAside.describe('How many after it.'),
})
export type NeighboursInput = z.output<typeof neighboursInput>

export const unitUpdate = z.strictObject({
  unitId: label().describe('The id.'),
  input: z
    .strictObject({
      aclOwner: changeable.aclOwner.describe('The new owner.'),
      aclGroups: changeable.aclGroups.describe('All groups that may read it. With an empty list, only its owner may.'),
      metadata: changeable.metadata.describe('All of its metadata, at most 16 KiB.'),
      title: changeable.title.describe('The new title. An empty one removes it.'),
      version: z
        .int('must be an integer')
        .optional()
        .describe('The `version` of the Unit that you read. If the Unit has changed since, the error is 400.'),
    })
    .refine((i) => (i.aclOwner ?? i.aclGroups ?? i.metadata ?? i.title) !== undefined, 'must change at least one field')
    .meta({ title: 'UpdateUnitInput', about: 'Changes to a Unit. Fields that are left out keep their values.' })
    .describe('The changes.'),
})
export type UnitChanges = z.output<typeof unitUpdate>['input']

/** Which Units, and who may read them from now on. */
export const readersInput = z
  .strictObject({
    filter: unitFilter.optional().describe('Conditions on Units.'),
    docId: label().optional().describe('The Units of this document.'),
    ids: z
      .array(label(), 'must be a list')
      .min(1, 'must not be empty')
      .max(10_000, 'must be at most 10000 ids')
      .optional()
      .describe('Ids, or external ids of Units that the caller ingested. Unknown and hidden ones are ignored.'),
    aclGroups: changeable.aclGroups.describe(
      'All groups that may read them; `user:<principal_id>` is one principal. With an empty list, only their owners may.',
    ),
    aclOwner: changeable.aclOwner.describe('Their new owner.'),
  })
  .refine(
    ({ filter, docId, ids }) => [filter, docId, ids].filter((one) => one !== undefined).length === 1,
    'exactly one of filter, doc_id and ids is required',
  )
  .refine(({ aclGroups, aclOwner }) => (aclGroups ?? aclOwner) !== undefined, 'must have acl_groups or acl_owner')
  .meta({ title: 'UpdateReadersInput', about: 'Which Units to open, and to whom: one of `filter`, `docId` and `ids`.' })
export type ReadersInput = z.output<typeof readersInput>

/** Maximum Unit ids of one restore. */
export const maxRestored = 1000

export const restoreInput = z.strictObject({
  ids: z
    .array(label())
    .min(1, 'must not be empty')
    .max(maxRestored, `must be at most ${maxRestored} ids`)
    .describe('Unit ids. Unknown, hidden and purged ones are ignored.'),
})
