import type { SeedUnit } from './seed-unit.ts'

/** Scanned invoices and receipts: what the scanner read, line by line, and how the pages look. */

const hullPaint = {
  scope: 'harbor/finance',
  docId: 'invoice-bc-2026-0417',
  sourceUri: 'harbor/invoices/2026/bc-2026-0417.pdf',
  mime: 'application/pdf',
} as const

const electricity = {
  scope: 'harbor/finance',
  docId: 'invoice-ellery-grid-2026-05',
  sourceUri: 'harbor/invoices/2026/ellery-grid-2026-05.pdf',
  mime: 'application/pdf',
} as const

const chandlery = {
  scope: 'harbor/finance',
  docId: 'receipt-knot-and-splice-2026-05-09',
  sourceUri: 'harbor/receipts/2026-05-09-knot-and-splice.jpg',
  mime: 'image/jpeg',
} as const

export const invoices: readonly SeedUnit[] = [
  {
    ...hullPaint,
    externalId: 'seed-invoice-hull-paint-header',
    modality: 'ocr',
    text:
      'BRIGHTWATER COATINGS — INVOICE BC-2026-0417 for hull paint. Date 17 April 2026, due 17 May 2026. Bill to: ' +
      'Sandpiper Line, 1 Market Quay, Port Ellery. Vessels: Plover, Turnstone. Order 3381, ordered by J. Takeda.',
    locator: { kind: 'bbox', page: 1, x: 0.06, y: 0.04, w: 0.88, h: 0.2 },
    aclGroups: ['finance'],
    metadata: { supplier: 'Brightwater Coatings', year: 2026, page: 1, paid: true, tags: ['invoice', 'hull', 'paint'] },
  },
  {
    ...hullPaint,
    externalId: 'seed-invoice-hull-paint-lines',
    modality: 'ocr',
    text:
      'Antifouling, copper-free, 340 l at 48.50 = 16,490.00. Primer, 60 l at 31.00 = 1,860.00. Net 18,350.00. VAT ' +
      '20 % 3,670.00. TOTAL EUR 22,020.00.',
    locator: { kind: 'bbox', page: 1, x: 0.06, y: 0.34, w: 0.88, h: 0.31 },
    aclGroups: ['finance'],
    metadata: {
      supplier: 'Brightwater Coatings',
      year: 2026,
      page: 1,
      amount: 22020,
      currency: 'EUR',
      tags: ['invoice', 'paint'],
    },
  },
  {
    ...hullPaint,
    externalId: 'seed-invoice-hull-paint-page',
    modality: 'doc_page',
    text:
      'Scan of the paint bill from Brightwater Coatings, an invoice of one page: blue letterhead with a wave, a table ' +
      'of two rows, a round stamp PAID 12 MAY 2026 over the total of 22,020.00 euros, and the initials B.N. in green ink.',
    locator: { kind: 'bbox', page: 1, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['finance'],
    metadata: {
      supplier: 'Brightwater Coatings',
      year: 2026,
      page: 1,
      paid: true,
      tags: ['invoice', 'hull', 'paint', 'stamp'],
    },
  },
  {
    ...hullPaint,
    externalId: 'seed-invoice-hull-paint-handwriting',
    modality: 'ocr',
    plane: 'doc_visual',
    text:
      'Handwritten in the margin, beside the antifouling line: "12 litres left over, in the shed at Pier 1, ' +
      'use them on Avocet before the boat show. B. Nunes".',
    locator: { kind: 'bbox', page: 1, x: 0.7, y: 0.72, w: 0.26, h: 0.12 },
    aclGroups: ['finance', 'general'],
    metadata: { year: 2026, page: 1, handwritten: true, tags: ['invoice', 'paint', 'note'] },
  },
  {
    ...electricity,
    externalId: 'seed-invoice-electricity-lines',
    modality: 'ocr',
    text:
      'ELLERY GRID, invoice 88-2605, May 2026. Energy 141,200 kWh at 0.142 = 20,050.40. Demand charge 480 kW at ' +
      '9.10 = 4,368.00. Net EUR 24,418.40. Meter points: Pier 1 tower, Pier 4 tower.',
    locator: { kind: 'bbox', page: 1, x: 0.08, y: 0.22, w: 0.84, h: 0.36 },
    aclGroups: ['finance'],
    metadata: {
      supplier: 'Ellery Grid',
      year: 2026,
      month: 5,
      amount: 24418.4,
      currency: 'EUR',
      tags: ['invoice', 'electricity'],
    },
  },
  {
    ...electricity,
    externalId: 'seed-invoice-electricity-page',
    modality: 'doc_page',
    text:
      'Electricity invoice, page 2: bar chart of daily consumption at the two charging towers in May 2026. The ' +
      'bars of Pier 4 are the taller ones on every day but the 23rd, when the tower was switched off for cable ' +
      'work.',
    locator: { kind: 'bbox', page: 2, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['finance'],
    metadata: { supplier: 'Ellery Grid', year: 2026, month: 5, page: 2, tags: ['invoice', 'electricity', 'chart'] },
  },
  {
    ...chandlery,
    externalId: 'seed-receipt-mooring-rope',
    modality: 'ocr',
    text:
      'KNOT & SPLICE, ship chandler. 09.05.2026 11:42. Mooring rope 22 m, 4 x 86.00 = 344.00. Shackle M12, 12 x ' +
      '6.50 = 78.00. Total 422.00 EUR. Card ending 0093. Thank you and fair winds.',
    locator: { kind: 'bbox', x: 0.12, y: 0.05, w: 0.74, h: 0.88 },
    aclGroups: ['finance'],
    metadata: { supplier: 'Knot & Splice', year: 2026, amount: 422, currency: 'EUR', tags: ['receipt', 'rope'] },
  },
  {
    ...chandlery,
    externalId: 'seed-receipt-mooring-rope-photo',
    modality: 'image',
    text:
      'Photo of a crumpled till receipt for mooring rope on a deck plank, one corner wet, held down by a brass ' +
      'shackle.',
    aclGroups: ['finance'],
    metadata: { year: 2026, tags: ['receipt', 'photo'] },
  },
  {
    externalId: 'seed-invoice-german-lanterns',
    scope: 'harbor/finance',
    modality: 'ocr',
    text:
      'Weserlicht Signaltechnik GmbH. Rechnung Nr. 2026-118 vom 3. März 2026. 6 Stück LED-Positionslaternen zu je ' +
      '215,00 € = 1.290,00 €. Mehrwertsteuer 19 %: 245,10 €. Gesamtbetrag 1.535,10 €. Zahlbar innerhalb von 30 ' +
      'Tagen ohne Abzug.',
    docId: 'rechnung-2026-118',
    sourceUri: 'harbor/invoices/2026/weserlicht-2026-118.pdf',
    mime: 'application/pdf',
    locator: { kind: 'bbox', page: 1, x: 0.07, y: 0.1, w: 0.86, h: 0.6 },
    aclGroups: ['finance'],
    metadata: {
      lang: 'de',
      supplier: 'Weserlicht',
      year: 2026,
      amount: 1535.1,
      currency: 'EUR',
      tags: ['invoice', 'lantern'],
    },
  },
  {
    externalId: 'seed-quote-japanese-radar',
    scope: 'harbor/finance',
    modality: 'ocr',
    plane: 'doc_visual',
    text: '御見積書。小型船舶用レーダー 2台、単価 385,000円、小計 770,000円、消費税 77,000円、合計 847,000円。納期はご注文後八週間。有効期限は2026年9月30日。',
    docId: 'quote-radar-2026-08',
    sourceUri: 'harbor/quotes/2026-08-radar.pdf',
    mime: 'application/pdf',
    locator: { kind: 'bbox', page: 1, x: 0.1, y: 0.15, w: 0.8, h: 0.55 },
    aclGroups: ['finance'],
    metadata: { lang: 'ja', year: 2026, amount: 847000, currency: 'JPY', tags: ['quote', 'radar'] },
  },
]
