import { hiddenCounts, permissions } from '../../model/registry.ts'
import { prefixes, querySyntaxes, sortOrders } from '../../model/search.ts'
import { modalities, planes } from '../../model/unit.ts'
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
