import { hiddenCounts, permissions } from '../../../model/registry.ts'
import { type Modality, modalities, type Plane, planes } from '../../../model/unit.ts'
import { builder } from '../../builder/builder.ts'

type Descriptions<T extends string> = Record<T, string>

export const described = <T extends string>(values: readonly T[], descriptions: Descriptions<T>) =>
  Object.fromEntries(values.map((value) => [value, { value, description: descriptions[value] }])) as {
    [K in T]: { value: K; description: string }
  }

const planeDescriptions: Descriptions<Plane> = {
  text: 'Text, chunks, captions, OCR, transcripts and logs.',
  visual: 'Images, image regions, video shots and detections.',
  audio: 'Audio utterances.',
  doc_visual: 'Images of document pages.',
}

const modalityDescriptions: Descriptions<Modality> = {
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
}

export const PlaneEnum = builder.enumType('Plane', {
  description: 'Where a Unit is indexed.',
  values: described(planes, planeDescriptions),
})

export const ModalityEnum = builder.enumType('Modality', {
  description: 'What kind of content a Unit is.',
  values: described(modalities, modalityDescriptions),
})

export const PermissionEnum = builder.enumType('Permission', {
  description: 'What a grant allows on a scope.',
  values: described(permissions, {
    read: 'Search, list and get Units.',
    write: 'Ingest, change, delete and restore Units, create scopes.',
    admin: 'Change and delete scopes, run compaction, manage the registries.',
  }),
})

export const HiddenCountEnum = builder.enumType('HiddenCount', {
  description: 'What `hiddenByAcl` says of Units that match, and that the caller may not read.',
  values: described(hiddenCounts, {
    off: 'Nothing: it is always 0.',
    some: 'Whether there are any: it is 0 or 1.',
    exact: 'How many there are.',
  }),
})
