import type { SeedUnit } from './seed-unit.ts'

/** What staff and visitors read and hear: the handbook, announcements and leaflets, in four languages. */

const handbook = {
  scope: 'harbor/general',
  docId: 'handbook-2026',
  sourceUri: 'harbor/handbook/2026.md',
  mime: 'text/markdown',
} as const

export const handbookAndVisitors: readonly SeedUnit[] = [
  {
    ...handbook,
    externalId: 'seed-handbook-fleet',
    modality: 'chunk',
    text:
      'The fleet of Sandpiper Line: Plover and Dunlin (2023) and Turnstone (2024), each 24 metres long, with 96 ' +
      'seats and 620 kWh in two battery packs; and little Avocet (March 2026), 14 metres, 40 seats, 280 kWh. A ' +
      'full charge takes 80 minutes, but most boats top up for ten minutes at Pier 1 or Pier 4.',
    locator: { kind: 'line_range', start: 12, end: 25 },
    aclGroups: ['*'],
    metadata: { year: 2026, tags: ['fleet', 'handbook'] },
  },
  {
    ...handbook,
    externalId: 'seed-handbook-piers',
    modality: 'chunk',
    text:
      'The five piers: 1 Market Quay, with the office and a charging tower; 2 Glassworks; 3 Lighthouse Point, ' +
      'closed when waves exceed 1.4 metres; 4 Cannery, with the second charging tower and the workshop; 5 Heron ' +
      'Island.',
    locator: { kind: 'line_range', start: 26, end: 38 },
    aclGroups: ['*'],
    metadata: { year: 2026, tags: ['piers', 'handbook'] },
  },
  {
    ...handbook,
    externalId: 'seed-handbook-lost-property',
    modality: 'chunk',
    text:
      'Lost property is kept at Market Quay for 60 days and then goes to the charity shop in Tanner Street. In ' +
      '2025 we stored 1,306 items, of them 402 umbrellas, one cello and a wedding dress. The cello was collected ' +
      'after 58 days.',
    locator: { kind: 'line_range', start: 101, end: 118 },
    aclGroups: ['*'],
    metadata: { year: 2026, tags: ['lost-property', 'handbook'] },
  },
  {
    ...handbook,
    externalId: 'seed-handbook-storm-rule',
    modality: 'chunk',
    text:
      'Storm rule: above 17 metres per second of mean wind Avocet stays in; above 21 the whole fleet does. The ' +
      'duty skipper decides, and nobody ashore may overrule a decision not to sail. Tickets stay valid for 12 ' +
      'months.',
    locator: { kind: 'line_range', start: 140, end: 152 },
    aclGroups: ['general'],
    metadata: { year: 2026, tags: ['storm', 'safety', 'handbook'] },
  },
  {
    externalId: 'seed-visitors-german-announcement',
    scope: 'harbor/general',
    modality: 'audio_utterance',
    text:
      'Willkommen an Bord der Fähre Plover. Die Schwimmwesten liegen unter den Sitzen, Kinderwesten im roten ' +
      'Schrank am Bug. Bitte bleiben Sie beim Anlegen sitzen, bis die Gangway gesichert ist. Die Überfahrt dauert ' +
      'achtzehn Minuten.',
    docId: 'announcements-on-board',
    sourceUri: 'harbor/audio/announcement.de.wav',
    file: 'announcement.de.wav',
    mime: 'audio/wav',
    locator: { kind: 'time_range', tStartMs: 0, tEndMs: 17_400 },
    aclGroups: ['*'],
    metadata: { lang: 'de', year: 2026, tags: ['announcement', 'safety'] },
  },
  {
    externalId: 'seed-visitors-french-announcement',
    scope: 'harbor/general',
    modality: 'asr',
    text:
      'Mesdames et messieurs, le prochain arrêt est la Pointe du Phare. Attention à la marche : le ponton bouge ' +
      "avec la houle. Le dernier bateau pour l'île aux Hérons part ce soir à vingt-deux heures dix.",
    docId: 'announcements-on-board',
    sourceUri: 'harbor/audio/announcement.fr.vtt',
    file: 'announcement.fr.vtt',
    mime: 'text/vtt',
    locator: { kind: 'time_range', tStartMs: 0, tEndMs: 12_900 },
    aclGroups: ['*'],
    metadata: { lang: 'fr', year: 2026, tags: ['announcement', 'pier-3'] },
  },
  {
    externalId: 'seed-visitors-japanese-leaflet',
    scope: 'harbor/general',
    modality: 'text',
    text: 'サギ島へようこそ。電動フェリーは市場埠頭から四十分ごとに出発し、所要時間は十八分です。灯台までは徒歩で二十五分、自転車は一日八ユーロで借りられます。最終便は二十二時十分ですので、お乗り遅れのないようご注意ください。',
    docId: 'leaflet-heron-island',
    sourceUri: 'harbor/leaflets/heron-island.ja.md',
    mime: 'text/markdown',
    aclGroups: ['*'],
    metadata: { lang: 'ja', year: 2025, tags: ['visitors', 'heron-island'] },
  },
  {
    externalId: 'seed-visitors-japanese-sign',
    scope: 'harbor/general',
    modality: 'ocr',
    plane: 'doc_visual',
    text: '足元注意。桟橋は波で揺れます。救命胴衣は座席の下にあります。',
    docId: 'photos-signs-pier-3',
    sourceUri: 'harbor/photos/signs/pier-3-gangway.jpg',
    mime: 'image/jpeg',
    locator: { kind: 'bbox', x: 0.3, y: 0.22, w: 0.4, h: 0.3 },
    aclGroups: ['*'],
    metadata: { lang: 'ja', year: 2026, pier: 3, tags: ['sign', 'safety'] },
  },
  {
    externalId: 'seed-visitors-menu-board',
    scope: 'harbor/general',
    modality: 'ocr',
    text:
      'CANNERY CAFE, Pier 4. Fish soup 7.80. Smoked mackerel roll 6.20. Lentil stew (vegan) 6.90. Coffee 2.40, ' +
      'free for crew before 6:30. Please do not feed the gulls, they have a season ticket.',
    docId: 'photos-menu-pier-4',
    sourceUri: 'harbor/photos/2026-05/menu-pier-4.jpg',
    mime: 'image/jpeg',
    locator: { kind: 'bbox', x: 0.15, y: 0.08, w: 0.7, h: 0.82 },
    aclGroups: ['*'],
    metadata: { year: 2026, pier: 4, tags: ['cafe', 'menu'] },
  },
]
