import type { SeedUnit } from './seed-unit.ts'

/** How the winter timetable of 2025/26 came about: minutes, voices, the printed sheet. */

const meeting = {
  scope: 'harbor/general',
  docId: 'meeting-2025-10-09-timetable',
  sourceUri: 'harbor/meetings/2025-10-09-timetable.ogg',
  mime: 'audio/ogg',
} as const

const leaflet = {
  scope: 'harbor/general',
  docId: 'timetable-winter-2025',
  sourceUri: 'harbor/timetables/winter-2025.pdf',
  file: 'winter-2025.pdf',
  mime: 'application/pdf',
} as const

export const timetable: readonly SeedUnit[] = [
  {
    externalId: 'seed-timetable-minutes',
    scope: 'harbor/general',
    modality: 'text',
    text:
      'Minutes, 9 October 2025: Marit Oyelaran, director of operations, approved the winter timetable. It runs ' +
      'from 2 November 2025 to 28 March 2026. Boats between Pier 1 and Heron Island leave every 40 minutes instead ' +
      'of every 25, and the last one goes at 22:10. On school days a boat leaves the island at 06:15.',
    docId: 'minutes-2025-10-09',
    sourceUri: 'harbor/meetings/2025-10-09-minutes.md',
    file: '2025-10-09-minutes.md',
    mime: 'text/markdown',
    locator: { kind: 'char_span', start: 167, end: 473 },
    aclGroups: ['*'],
    metadata: { year: 2025, decided: true, tags: ['timetable', 'winter', 'minutes'] },
  },
  {
    ...meeting,
    externalId: 'seed-timetable-approval-utterance',
    modality: 'audio_utterance',
    text:
      'Then I approve the winter timetable as tabled, with the early school boat. Please put my name under it, ' +
      'Marit Oyelaran, and not "the management".',
    locator: { kind: 'time_range', tStartMs: 2_884_000, tEndMs: 2_895_500 },
    aclGroups: ['general'],
    metadata: { speaker: 'Marit Oyelaran', year: 2025, tags: ['timetable', 'winter', 'approval'] },
  },
  {
    ...meeting,
    externalId: 'seed-timetable-school-boat',
    modality: 'asr',
    text:
      'Forty-one children on Heron Island have school at half past seven. If the first boat is at seven, they miss ' +
      'the first lesson from November to March. We ask for one boat at a quarter past six, school days only.',
    locator: { kind: 'time_range', tStartMs: 1_510_000, tEndMs: 1_527_400 },
    aclGroups: ['general'],
    metadata: { speaker: 'Heron Island residents', year: 2025, tags: ['timetable', 'school', 'heron-island'] },
  },
  {
    ...meeting,
    externalId: 'seed-timetable-crew-concern',
    modality: 'asr',
    plane: 'audio',
    text:
      'My crew can do the six-fifteen, but then the same people cannot do the ten past ten at night. You need a ' +
      'split shift, or one more skipper from November on.',
    locator: { kind: 'time_range', tStartMs: 1_702_300, tEndMs: 1_713_800 },
    aclGroups: ['general'],
    metadata: { speaker: 'Luc Marchand', year: 2025, tags: ['timetable', 'crew', 'shifts'] },
  },
  {
    ...meeting,
    externalId: 'seed-timetable-saving',
    modality: 'asr',
    text:
      'Leaving every forty minutes saves sixty-one thousand euros over the winter, nearly all of it crew hours. ' +
      'The school boat costs nine thousand of that. I can live with fifty-two.',
    locator: { kind: 'time_range', tStartMs: 2_101_000, tEndMs: 2_113_200 },
    aclGroups: ['finance', 'general'],
    metadata: { speaker: 'Ines Caldeira', year: 2025, tags: ['timetable', 'costs'] },
  },
  {
    ...leaflet,
    externalId: 'seed-timetable-leaflet-page',
    modality: 'doc_page',
    text:
      'Printed winter timetable 2025/26, page 1: five piers as columns, departures as rows, school-day boats in bold. ' +
      'A snowflake marks the 06:15 from Heron Island. The footer reads "valid 2 November 2025 to 28 March 2026", ' +
      'with the signature of M. Oyelaran.',
    locator: { kind: 'bbox', page: 1, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['*'],
    metadata: { page: 1, year: 2025, tags: ['timetable', 'winter', 'leaflet'] },
  },
  {
    ...leaflet,
    externalId: 'seed-timetable-leaflet-ocr',
    modality: 'ocr',
    text:
      'Heron Island (Pier 5) dep. 06:15* 07:00 07:40 08:20 09:00 … 21:30 22:10. * school days only. Crossing time ' +
      '18 minutes. Bicycles 2.00, dogs free.',
    locator: { kind: 'bbox', page: 1, x: 0.74, y: 0.18, w: 0.2, h: 0.66 },
    aclGroups: ['*'],
    metadata: { page: 1, year: 2025, pier: 5, tags: ['timetable', 'heron-island'] },
  },
  {
    externalId: 'seed-timetable-board-photo',
    scope: 'harbor/general',
    modality: 'image',
    text:
      'Departure board at Market Quay on the first Sunday of the winter timetable: frost on the glass, the 07:00 ' +
      'to Heron Island on time, and a child in a red hat pointing at it.',
    docId: 'photos-2025-11-02',
    sourceUri: 'harbor/photos/2025-11-02/board-market-quay.jpg',
    mime: 'image/jpeg',
    aclGroups: ['*'],
    metadata: { year: 2025, pier: 1, tags: ['departure-board', 'winter'] },
  },
]
