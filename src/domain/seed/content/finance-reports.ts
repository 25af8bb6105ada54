import type { SeedUnit } from './seed-unit.ts'

/** Annual report, budget talks and contracts. */

const annualReport = {
  scope: 'harbor/finance',
  docId: 'annual-report-2025',
  sourceUri: 'harbor/reports/annual-report-2025.pdf',
  mime: 'application/pdf',
} as const

const budgetMeeting = {
  scope: 'harbor/finance',
  docId: 'meeting-2026-09-03-budget',
  sourceUri: 'harbor/meetings/2026-09-03-budget.ogg',
  mime: 'audio/ogg',
} as const

export const financeReports: readonly SeedUnit[] = [
  {
    ...annualReport,
    externalId: 'seed-annual-report-passengers',
    modality: 'doc_page',
    text:
      'Annual report 2025, page 6. We carried 1,214,600 passengers, 8.4 % more than the 1,120,500 of 2024. August ' +
      'was the busiest month and the Heron Island line the busiest route. 97.1 % of departures left within three ' +
      'minutes of the timetable.',
    locator: { kind: 'bbox', page: 6, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['finance', 'general'],
    metadata: { page: 6, year: 2025, passengers: 1_214_600, tags: ['annual-report', 'passengers'] },
  },
  {
    ...annualReport,
    externalId: 'seed-annual-report-revenue',
    modality: 'doc_page',
    text:
      'Annual report 2025, page 11: revenue and costs in million euros. Tickets 7.12, charters 1.36, city ' +
      'contribution 1.36; revenue 9.84. Staff 4.60, depreciation 1.65, maintenance 1.37, electricity 0.29, other ' +
      '1.02; costs 8.93. Surplus 0.91.',
    locator: { kind: 'bbox', page: 11, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['finance'],
    metadata: { page: 11, year: 2025, currency: 'EUR', tags: ['annual-report', 'revenue'] },
  },
  {
    ...annualReport,
    externalId: 'seed-annual-report-chart',
    modality: 'caption',
    plane: 'visual',
    text:
      'Figure 3 of the annual report: a stacked area chart in which diesel, grey, vanishes after spring 2023 and ' +
      'electricity, teal, fills the space below a falling total energy line.',
    locator: { kind: 'bbox', page: 12, x: 0.1, y: 0.42, w: 0.8, h: 0.38 },
    aclGroups: ['finance', 'general'],
    metadata: { page: 12, year: 2025, tags: ['annual-report', 'chart', 'energy'] },
  },
  {
    ...annualReport,
    externalId: 'seed-annual-report-footnote',
    modality: 'ocr',
    plane: 'doc_visual',
    text:
      '[1] Charter revenue includes the film shoot of October 2025 (84,000 euros). [2] The city contribution is ' +
      'fixed until 2028.',
    locator: { kind: 'bbox', page: 11, x: 0.08, y: 0.9, w: 0.84, h: 0.06 },
    aclGroups: ['finance'],
    metadata: { page: 11, year: 2025, tags: ['annual-report', 'footnote'] },
  },
  {
    ...budgetMeeting,
    externalId: 'seed-budget-module-decision',
    modality: 'asr',
    text:
      'The replacement of module 7 on Dunlin is 31,400 euros, and the insurer pays all of it above the 5,000 ' +
      'deductible. I would rather spend the saving on a spare module than put it back in the pot.',
    locator: { kind: 'time_range', tStartMs: 905_000, tEndMs: 921_700 },
    aclGroups: ['finance'],
    metadata: { speaker: 'Ines Caldeira', year: 2026, tags: ['budget', 'battery', 'insurance'] },
  },
  {
    ...budgetMeeting,
    externalId: 'seed-budget-fares',
    modality: 'audio_utterance',
    text:
      'No fare increase before April 2027. A single stays at fourteen euros for visitors and three sixty for ' +
      'residents; if electricity goes up again, we talk about the demand charge first.',
    locator: { kind: 'time_range', tStartMs: 1_466_000, tEndMs: 1_480_200 },
    aclGroups: ['finance'],
    metadata: { speaker: 'Ines Caldeira', year: 2026, tags: ['budget', 'fares'] },
  },
  {
    externalId: 'seed-insurance-policy',
    scope: 'harbor/finance',
    modality: 'chunk',
    text:
      'Hull and machinery policy 2026, clause 9: battery damage is covered when the cooling system was serviced in ' +
      'the 90 days before the event. The deductible is 5,000 euros per event. Wear of cells is not covered. Claims ' +
      'are to be filed within 21 days.',
    docId: 'policy-hull-2026',
    sourceUri: 'harbor/contracts/policy-hull-2026.pdf',
    mime: 'application/pdf',
    locator: { kind: 'char_span', start: 14_020, end: 14_388 },
    aclGroups: ['finance'],
    metadata: { year: 2026, clause: 9, tags: ['insurance', 'battery'] },
  },
  {
    externalId: 'seed-finance-private-salary',
    scope: 'harbor/finance',
    modality: 'text',
    text:
      'Private working note: the salary proposal for 2027 assumes 3.1 % for crew and 2.4 % for shore staff, and ' +
      'two more deckhands from May. Not to be circulated before the works council meets on 1 December.',
    aclGroups: [],
    metadata: { year: 2026, tags: ['private', 'salaries'] },
  },
]
