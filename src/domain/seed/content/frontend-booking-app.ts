import type { SeedUnit } from './seed-unit.ts'

/** The booking app and the kiosks: usability sessions, screens, design notes. */

const session = {
  scope: 'harbor/frontend',
  docId: 'usability-2026-01-21',
  sourceUri: 'harbor/research/2026-01-21-session-5.mp4',
  mime: 'video/mp4',
} as const

const mockup = {
  scope: 'harbor/frontend',
  docId: 'mockup-seat-map-v3',
  sourceUri: 'harbor/design/seat-map-v3.png',
  mime: 'image/png',
} as const

const kiosk = {
  scope: 'harbor/frontend',
  docId: 'kiosk-photos-2026-04',
  sourceUri: 'harbor/photos/2026-04/kiosk-pier-2.jpg',
  mime: 'image/jpeg',
} as const

export const bookingApp: readonly SeedUnit[] = [
  {
    externalId: 'seed-app-usability-findings',
    scope: 'harbor/frontend',
    modality: 'text',
    text:
      'Usability findings, 21 January 2026: 6 of 9 participants missed the bicycle toggle because it sits below ' +
      'the pay button. Everyone found the return trip. Two people took the tide warning for an advertisement. ' +
      'Recommendation by Freya Adeyemi: ask about the bicycle right after the number of passengers.',
    docId: 'usability-2026-01-21',
    sourceUri: 'harbor/research/2026-01-21-findings.md',
    mime: 'text/markdown',
    aclGroups: ['general'],
    metadata: { year: 2026, participants: 9, tags: ['usability', 'bicycle'] },
  },
  {
    ...session,
    externalId: 'seed-app-session-bicycle',
    modality: 'asr',
    text:
      'Okay, I have paid, and now it says bicycles need a ticket of their own. Where was I supposed to say that I ' +
      'have a bicycle? I would have to start all over again.',
    locator: { kind: 'time_range', tStartMs: 742_000, tEndMs: 755_300 },
    aclGroups: ['general'],
    metadata: { speaker: 'Participant 5', year: 2026, tags: ['usability', 'bicycle'] },
  },
  {
    ...session,
    externalId: 'seed-app-session-voice',
    modality: 'asr',
    plane: 'audio',
    text:
      'The voice reads "seat four, seat four, seat four" for the whole row. With a screen reader I cannot tell ' +
      'which seats are free and which are taken.',
    locator: { kind: 'time_range', tStartMs: 1_120_400, tEndMs: 1_131_000 },
    aclGroups: ['general', 'backend'],
    metadata: { speaker: 'Participant 7', year: 2026, tags: ['usability', 'screen-reader', 'accessibility'] },
  },
  {
    ...session,
    externalId: 'seed-app-session-shot',
    modality: 'video_shot',
    text:
      'Screen recording: the cursor circles over the pay button three times, scrolls down, finds the bicycle ' +
      'toggle, goes back, and the basket is empty.',
    locator: { kind: 'time_range', tStartMs: 730_000, tEndMs: 768_000 },
    aclGroups: ['general'],
    metadata: { year: 2026, tags: ['usability', 'screen-recording'] },
  },
  {
    ...mockup,
    externalId: 'seed-app-mockup',
    modality: 'image',
    text:
      'Mockup of the seat map, version 3: the deck seen from above, 96 seats in sea green, wheelchair places ' +
      'outlined in yellow at the bow, taken seats hatched rather than merely darker.',
    aclGroups: ['*'],
    metadata: { year: 2026, version: 3, tags: ['mockup', 'seat-map'] },
  },
  {
    ...mockup,
    externalId: 'seed-app-mockup-wheelchair',
    modality: 'image_region',
    text:
      'The four wheelchair places at the bow of the seat map, each with room for a companion seat, next to the ' +
      'ramp icon.',
    locator: { kind: 'bbox', x: 0.41, y: 0.05, w: 0.18, h: 0.14 },
    aclGroups: ['*'],
    metadata: { year: 2026, version: 3, tags: ['seat-map', 'accessibility'] },
  },
  {
    ...mockup,
    externalId: 'seed-app-mockup-pay-button',
    modality: 'image_region',
    text:
      'Pay button at the bottom of the seat map screen: white on coral, with the price "14.00" and a small ' +
      'padlock. The bicycle toggle is hidden below the fold.',
    locator: { kind: 'bbox', x: 0.08, y: 0.86, w: 0.84, h: 0.09 },
    aclGroups: ['general'],
    metadata: { year: 2026, version: 3, tags: ['seat-map', 'payments'] },
  },
  {
    ...kiosk,
    externalId: 'seed-app-kiosk-error',
    modality: 'ocr',
    text:
      'TICKET KIOSK PIER 2 — GLASSWORKS. Error E-17: printer door open. Your card was NOT charged. Please use the ' +
      'app or ask the crew. Helpline 0800 417 226.',
    locator: { kind: 'bbox', x: 0.22, y: 0.3, w: 0.55, h: 0.28 },
    aclGroups: ['*'],
    metadata: { year: 2026, pier: 2, code: 'E-17', tags: ['kiosk', 'error'] },
  },
  {
    ...kiosk,
    externalId: 'seed-app-kiosk-caption',
    modality: 'caption',
    plane: 'visual',
    text:
      'A ticket kiosk on a wet pier with its printer door ajar, a paper sign taped over the screen and a herring ' +
      'gull standing on top.',
    aclGroups: ['*'],
    metadata: { year: 2026, pier: 2, tags: ['kiosk', 'gull'] },
  },
  {
    externalId: 'seed-app-design-review-page',
    scope: 'harbor/frontend',
    modality: 'doc_page',
    text:
      'Design review, March 2026, page 4: colour contrast. The old departure board set grey on sea green, contrast ' +
      '2.9 to 1. The new palette reaches 5.1 to 1 in daylight and 7.4 to 1 at night. Delayed boats are marked by a ' +
      'shape as well as by colour.',
    docId: 'design-review-2026-03',
    sourceUri: 'harbor/design/review-2026-03.pdf',
    mime: 'application/pdf',
    locator: { kind: 'bbox', page: 4, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['general'],
    metadata: { page: 4, year: 2026, tags: ['accessibility', 'contrast', 'departure-board'] },
  },
  {
    externalId: 'seed-app-bundle-size',
    scope: 'harbor/frontend',
    modality: 'chunk',
    text:
      'The booking app shrank from 412 kB to 188 kB of JavaScript in release 5.2. The map library went, since a ' +
      'static picture of five piers does the same job; the date picker is the one of the browser now. On the old ' +
      'phones of the crew the first screen appears in 1.8 seconds instead of 4.6.',
    docId: 'release-notes-app-5-2',
    sourceUri: 'harbor/releases/app-5.2.md',
    mime: 'text/markdown',
    locator: { kind: 'char_span', start: 0, end: 412 },
    aclGroups: ['backend', 'general'],
    metadata: { year: 2026, version: '5.2', tags: ['performance', 'release'] },
  },
  {
    externalId: 'seed-app-log-checkout',
    scope: 'harbor/frontend',
    modality: 'log_template',
    text:
      'ERROR booking-app checkout step <step> failed for cart <cart_id>: <error_code> after <milliseconds> ms, ' +
      'user agent <user_agent>',
    docId: 'logs-booking-app',
    sourceUri: 'harbor/logs/booking-app.log',
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 301, end: 322 },
    aclGroups: ['backend'],
    metadata: { service: 'booking-app', level: 'error', occurrences: 957, year: 2026 },
  },
  {
    externalId: 'seed-app-french-accessibility',
    scope: 'harbor/frontend',
    modality: 'text',
    text:
      "Note d'accessibilité : l'application doit rester utilisable à une seule main, sur un pont qui bouge. Les " +
      "boutons mesurent au moins 48 pixels, les délais d'attente peuvent être prolongés, et le plan des sièges " +
      "existe aussi sous forme de liste pour les lecteurs d'écran.",
    docId: 'note-accessibilite',
    sourceUri: 'harbor/design/accessibilite.fr.md',
    mime: 'text/markdown',
    aclGroups: ['*'],
    metadata: { lang: 'fr', year: 2026, tags: ['accessibility'] },
  },
]
