import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { decodeBase64, readVector, type SentVector } from '../../domain/input/vector.ts'
import { hiddenCounts, permissions } from '../../model/registry.ts'
import { prefixes, querySyntaxes, sortOrders } from '../../model/search.ts'
import { modalities, planes } from '../../model/unit.ts'
import { builder } from '../builder/builder.ts'
import { enumType } from '../builder/types.ts'

export const PlaneEnum = enumType('Plane', 'Where a Unit is indexed.', planes, {
  text: 'Text, chunks, captions, OCR, transcripts and logs.',
  visual: 'Images, image regions, video shots and detections.',
  audio: 'Audio utterances.',
  doc_visual: 'Images of document pages.',
})

export const ModalityEnum = enumType('Modality', 'What kind of content a Unit is.', modalities, {
  text: 'A text.',
  chunk: 'A part of a longer text.',
  caption: 'A description of an image or video.',
  ocr: 'Text recognised in an image or page.',
  asr: 'Text recognised in speech.',
  image: 'A whole image.',
  image_region: 'A part of an image.',
  doc_page: 'A page of a document.',
  video_shot: 'A shot of a video.',
  audio_utterance: 'An utterance in a recording.',
  log_template: 'A log line without its variable parts.',
  detection: 'An object that a detector found.',
})

export const PermissionEnum = enumType('Permission', 'What a grant allows on a scope.', permissions, {
  read: 'Search, list and get Units.',
  write: 'Ingest, change, delete and restore Units, create scopes.',
  admin: 'Change and delete scopes, run compaction, manage the registries.',
})

enumType('SortOrder', 'Which values come first.', sortOrders, {
  asc: 'The lowest.',
  desc: 'The highest.',
})

export const HiddenCountEnum = enumType(
  'HiddenCount',
  'What `hiddenByAcl` says of Units that match, and that the caller may not read.',
  hiddenCounts,
  {
    off: 'Nothing: it is always 0.',
    some: 'Whether there are any: it is 0 or 1.',
    exact: 'How many there are.',
  },
)

export const QuerySyntaxEnum = enumType('QuerySyntax', 'How `q` is read.', querySyntaxes, {
  web: 'A hit has each phrase in quotes, and nothing of what follows a `-`.',
  plain: 'Every character is text. Texts with a phrase that is in quotes rank before others.',
})

enumType('Prefix', 'Whether words are taken for beginnings of words.', prefixes, {
  none: 'No word.',
  last: 'The last one, which finds the word itself first.',
})

function safeInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new GraphQLError('must be an integer')
}

builder.scalarType('SafeInt', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  description: 'An integer of up to 53 bits: times in epoch milliseconds, sequence numbers, counts.',
  serialize: safeInt,
  parseValue: safeInt,
  parseLiteral: (node) => safeInt(node.kind === Kind.INT ? Number(node.value) : undefined),
})

function vector(value: unknown): SentVector {
  const read = readVector(value)
  if (typeof read === 'string') throw new GraphQLError(read)
  return read
}

builder.scalarType('Vector', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-5',
  description:
    'An embedding, kept by its direction: scaled to length 1, as float32. A list of finite numbers, or base64 of little-endian float32 values, which is much faster to read.',
  serialize: (values) => [...values],
  parseValue: vector,
  parseLiteral: (node) => vector(valueFromASTUntyped(node as ValueNode)),
})

function bytes(value: unknown): Uint8Array {
  const isPadded = typeof value === 'string' && value.length % 4 === 0
  const decoded = isPadded ? decodeBase64(value) : null
  if (decoded === null) throw new GraphQLError('must be base64')
  return new Uint8Array(decoded)
}

builder.scalarType('Bytes', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc4648#section-4',
  description: 'Bytes as padded base64.',
  serialize: (value) => Buffer.from(value).toString('base64'),
  parseValue: bytes,
})

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value.',
  serialize: (value) => value,
})

builder.scalarType('Metadata', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
  description:
    "An object of the caller's own keys: any JSON of at most 5 levels, 256 values and 16 KiB. It comes back as it was sent.",
  serialize: (value) => value,
})

builder.scalarType('Condition', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description:
    'A value; a list of values, of which any may match; or an object of operators, which all must match: `eq`, `ne`, `in`, `nin`, `gt`, `gte`, `lt`, `lte`, `exists`, `prefix`, `contains`, `all`. `null` is a value that is absent. `ne` and `nin` match what is absent.',
  serialize: (value) => value,
})

builder.scalarType('Time', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  description: 'Epoch milliseconds, or ISO 8601 with a zone.',
  serialize: (value) => value,
})
