import type { SeedUnit } from './seed-unit.ts'

/** What the ferry and pier cameras saw: shots, photos, captions, detections. */

const fog = {
  scope: 'harbor/general',
  docId: 'camera-plover-2025-11-18',
  sourceUri: 'harbor/cameras/plover/2025-11-18T0700.mp4',
  mime: 'video/mp4',
} as const

const drill = {
  scope: 'harbor/general',
  docId: 'camera-turnstone-2026-04-22',
  sourceUri: 'harbor/cameras/turnstone/2026-04-22T1000.mp4',
  mime: 'video/mp4',
} as const

const porpoises = {
  scope: 'harbor/general',
  docId: 'photo-2026-07-30-porpoises',
  sourceUri: 'harbor/photos/2026-07-30/porpoises.jpg',
  mime: 'image/jpeg',
} as const

export const cameras: readonly SeedUnit[] = [
  {
    ...fog,
    externalId: 'seed-camera-fog-departure',
    modality: 'video_shot',
    text:
      'Bow camera of the ferry Plover in dense fog: the lamp of Pier 3 appears as a pale disc, grows, and slides ' +
      'past on the port side at walking pace.',
    locator: { kind: 'time_range', tStartMs: 312_000, tEndMs: 391_000 },
    aclGroups: ['*'],
    metadata: { camera: 'plover-bow', ferry: 'Plover', year: 2025, tags: ['fog', 'pier-3'] },
  },
  {
    ...fog,
    externalId: 'seed-camera-fog-kayak',
    modality: 'video_shot',
    text:
      'A kayak without a light crosses 30 metres ahead of Plover in the fog; the wake turns white as the ferry ' +
      'goes full astern and stops within 14 seconds.',
    locator: { kind: 'time_range', tStartMs: 702_500, tEndMs: 731_000 },
    aclGroups: ['general', 'backend'],
    metadata: { camera: 'plover-bow', ferry: 'Plover', year: 2025, tags: ['fog', 'kayak', 'near-miss'] },
  },
  {
    ...fog,
    externalId: 'seed-camera-fog-kayak-detection',
    modality: 'detection',
    text: 'kayak with one paddler ahead of the bow',
    locator: { kind: 'bbox', x: 0.44, y: 0.56, w: 0.09, h: 0.06 },
    aclGroups: ['general', 'backend'],
    metadata: { label: 'kayak', confidence: 0.81, camera: 'plover-bow', year: 2025, frameMs: 704_000 },
  },
  {
    ...drill,
    externalId: 'seed-camera-drill-throw',
    modality: 'video_shot',
    text:
      'Man-overboard drill on Turnstone: a deckhand throws a lifebuoy to the orange dummy, the line runs out ' +
      'cleanly, and the ferry turns to windward.',
    locator: { kind: 'time_range', tStartMs: 95_000, tEndMs: 148_000 },
    aclGroups: ['general'],
    metadata: { camera: 'turnstone-stern', ferry: 'Turnstone', year: 2026, tags: ['drill', 'man-overboard', 'safety'] },
  },
  {
    ...drill,
    externalId: 'seed-camera-drill-lifebuoy-detection',
    modality: 'detection',
    text: 'lifebuoy in the water, three metres from the dummy',
    locator: { kind: 'bbox', x: 0.61, y: 0.48, w: 0.05, h: 0.05 },
    aclGroups: ['general'],
    metadata: { label: 'lifebuoy', confidence: 0.92, camera: 'turnstone-stern', year: 2026, frameMs: 121_400 },
  },
  {
    ...drill,
    externalId: 'seed-camera-drill-call',
    modality: 'audio_utterance',
    text:
      'Man overboard, port side! Keep pointing at him, do not take your eyes off. Two minutes fifty, that is ' +
      'twenty seconds faster than in October.',
    locator: { kind: 'time_range', tStartMs: 91_500, tEndMs: 104_000 },
    aclGroups: ['general'],
    metadata: { speaker: 'Deck crew', ferry: 'Turnstone', year: 2026, tags: ['drill', 'man-overboard', 'safety'] },
  },
  {
    ...porpoises,
    externalId: 'seed-photo-porpoises',
    modality: 'image',
    text:
      'Three harbour porpoises surface beside the ferry Avocet off Lighthouse Point on a calm evening, two adults ' +
      'and a calf, the sun low behind the pier.',
    aclGroups: ['*'],
    metadata: { ferry: 'Avocet', year: 2026, tags: ['porpoise', 'wildlife', 'pier-3'] },
  },
  {
    ...porpoises,
    externalId: 'seed-photo-porpoises-calf',
    modality: 'image_region',
    text: 'The porpoise calf, half hidden by the splash of its mother, with a pale scar behind the fin.',
    locator: { kind: 'bbox', x: 0.33, y: 0.52, w: 0.12, h: 0.1 },
    aclGroups: ['*'],
    metadata: { year: 2026, tags: ['porpoise', 'wildlife'] },
  },
  {
    ...porpoises,
    externalId: 'seed-photo-porpoises-caption',
    modality: 'caption',
    text:
      'Porpoises greeting the 20:40 to Heron Island, 30 July 2026. Photo: Sam Whitlock, customer service, who ' +
      'swears that they wait for Avocet because she is the quietest boat.',
    aclGroups: ['*'],
    metadata: { year: 2026, author: 'Sam Whitlock', tags: ['porpoise', 'wildlife', 'newsletter'] },
  },
  {
    externalId: 'seed-photo-seal-detection',
    scope: 'harbor/general',
    modality: 'detection',
    text: 'seal asleep on the pontoon, blocking the gangway',
    docId: 'camera-pier-5-2026-01-11',
    sourceUri: 'harbor/cameras/pier-5/2026-01-11T0655.jpg',
    mime: 'image/jpeg',
    locator: { kind: 'bbox', x: 0.27, y: 0.6, w: 0.31, h: 0.19 },
    aclGroups: ['*'],
    metadata: { label: 'seal', confidence: 0.88, camera: 'pier-5-pontoon', year: 2026 },
  },
  {
    externalId: 'seed-photo-fender-damage',
    scope: 'harbor/general',
    modality: 'image',
    text:
      'Torn rubber fender at Pier 2 after Turnstone came in too fast on 3 November 2025: a gash of about 40 cm, ' +
      'the steel behind it scratched but not bent.',
    docId: 'damage-2025-11-03-pier-2',
    sourceUri: 'harbor/photos/2025-11-03/fender-pier-2.jpg',
    mime: 'image/jpeg',
    aclGroups: ['general', 'finance'],
    metadata: { severity: 'sev4', ferry: 'Turnstone', pier: 2, year: 2025, resolved: true, tags: ['damage', 'fender'] },
  },
  {
    externalId: 'seed-photo-fender-caption',
    scope: 'harbor/general',
    modality: 'caption',
    plane: 'visual',
    text:
      'Close view of a ripped black fender on a wooden pier, orange measuring tape beside the tear, ferry hull in ' +
      'the background.',
    docId: 'damage-2025-11-03-pier-2',
    sourceUri: 'harbor/photos/2025-11-03/fender-pier-2.jpg',
    mime: 'image/jpeg',
    aclGroups: ['general', 'finance'],
    metadata: { pier: 2, year: 2025, tags: ['damage', 'fender'] },
  },
]
