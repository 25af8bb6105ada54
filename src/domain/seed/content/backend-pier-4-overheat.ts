import type { SeedUnit } from './seed-unit.ts'

/** 12 June 2026: a battery pack of the ferry Dunlin overheats while charging. The same event in every plane. */

const report = {
  scope: 'harbor/backend',
  docId: 'incident-2026-06-12-dunlin',
  sourceUri: 'harbor/incidents/2026-06-12-dunlin.md',
  mime: 'text/markdown',
} as const

const radio = {
  scope: 'harbor/backend',
  docId: 'radio-2026-06-12',
  sourceUri: 'harbor/radio/2026-06-12-channel-12.ogg',
  mime: 'audio/ogg',
} as const

const pierCamera = {
  scope: 'harbor/backend',
  docId: 'camera-pier-4-2026-06-12',
  sourceUri: 'harbor/cameras/pier-4/2026-06-12T1400.mp4',
  mime: 'video/mp4',
} as const

export const pier4Overheat: readonly SeedUnit[] = [
  {
    ...report,
    externalId: 'seed-pier4-summary',
    modality: 'text',
    text:
      'Incident summary, 12 June 2026: the ferry Dunlin stopped charging at Pier 4 (Cannery) when module 7 of pack ' +
      'B passed 61 °C. The limit is 55 °C. Skipper Luc Marchand pulled the manual disconnect at 14:21 and led 38 ' +
      'passengers ashore. Nobody was hurt. Dunlin stayed out of service until the morning of 15 June, and ' +
      'Turnstone ran its departures.',
    aclGroups: ['*'],
    metadata: {
      severity: 'sev2',
      year: 2026,
      resolved: true,
      ferry: 'Dunlin',
      tags: ['battery', 'pier-4', 'charging'],
    },
  },
  {
    ...report,
    externalId: 'seed-pier4-root-cause',
    modality: 'chunk',
    text:
      'Root cause: why did the battery pack overheat at Pier 4? Eelgrass had clogged the seawater strainer, so ' +
      'pack B got 3 litres of coolant per minute instead of 18. The charge controller never noticed, because the ' +
      'telemetry gateway kept serving the last good flow reading, taken at 13:52, from its cache. It therefore ' +
      'went on charging at the full 480 kW for ten minutes.',
    locator: { kind: 'char_span', start: 1840, end: 2212 },
    aclGroups: ['backend'],
    metadata: {
      severity: 'sev2',
      year: 2026,
      resolved: true,
      section: 'root cause',
      tags: ['battery', 'pier-4', 'telemetry'],
    },
  },
  {
    ...report,
    externalId: 'seed-pier4-timeline',
    modality: 'chunk',
    text:
      'Timeline: 14:07 Dunlin moors at the Cannery pier. 14:11 charging starts at 480 kW. 14:16 the first ' +
      'temperature warning goes to a dashboard that nobody watches on Fridays. 14:19 module 7 reads 61 °C. 14:21 ' +
      'manual disconnect. 14:34 harbour fire brigade on the pier, no flames, cooling by freshwater hose. 16:05 ' +
      'pack back under 35 °C.',
    locator: { kind: 'char_span', start: 520, end: 1104 },
    aclGroups: ['backend'],
    metadata: { severity: 'sev2', year: 2026, resolved: true, section: 'timeline', tags: ['battery', 'pier-4'] },
  },
  {
    ...report,
    externalId: 'seed-pier4-actions',
    modality: 'chunk',
    text:
      'Corrective actions: (1) a flow reading older than 5 seconds counts as zero flow and stops the charge; owner ' +
      'Priya Raman, done on 19 June. (2) Strainers are cleaned every Monday from May to September; owner Jun ' +
      'Takeda. (3) Charging at Pier 4 was capped at 300 kW until the second strainer was fitted on 3 July 2026. ' +
      '(4) Temperature warnings page the on-call engineer.',
    locator: { kind: 'char_span', start: 2213, end: 2790 },
    aclGroups: ['backend', 'general'],
    metadata: { year: 2026, resolved: true, section: 'actions', tags: ['battery', 'follow-up'] },
  },
  {
    externalId: 'seed-pier4-log-stale-flow',
    scope: 'harbor/backend',
    modality: 'log_template',
    text:
      'WARN telemetry-gateway coolant flow sensor <sensor_id> on <ferry> is stale for <seconds> s, serving cached ' +
      '<litres> L/min',
    docId: 'logs-telemetry-gateway',
    sourceUri: 'harbor/logs/telemetry-gateway.log',
    file: 'telemetry-gateway.log',
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 12, end: 30 },
    aclGroups: ['backend'],
    metadata: { service: 'telemetry-gateway', level: 'warn', occurrences: 19, year: 2026 },
  },
  {
    externalId: 'seed-pier4-log-module-temperature',
    scope: 'harbor/backend',
    modality: 'log_template',
    text:
      'ERROR charge-controller pack <pack> module <module> at <celsius> C exceeds limit 55 C while charging at ' +
      '<kilowatts> kW on pier <pier>',
    docId: 'logs-charge-controller',
    sourceUri: 'harbor/logs/charge-controller.log',
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 20177, end: 20184 },
    aclGroups: ['backend'],
    metadata: { service: 'charge-controller', level: 'error', occurrences: 8, year: 2026 },
  },
  {
    ...radio,
    externalId: 'seed-pier4-radio-skipper',
    modality: 'audio_utterance',
    text:
      'Dunlin to control: I have a battery temperature alarm on the starboard pack at Pier 4, smell of hot ' +
      'plastic, no smoke. I am disconnecting by hand and taking everyone off.',
    locator: { kind: 'time_range', tStartMs: 41_200, tEndMs: 52_900 },
    aclGroups: ['*'],
    metadata: { speaker: 'Luc Marchand', channel: 12, year: 2026, tags: ['radio', 'pier-4', 'battery'] },
  },
  {
    ...radio,
    externalId: 'seed-pier4-radio-control',
    modality: 'audio_utterance',
    text:
      'Control to Dunlin: copied, fire brigade is on its way, nine minutes. Keep the battery room hatch shut and ' +
      'stay upwind. Turnstone, hold off Pier 4 until I call you.',
    locator: { kind: 'time_range', tStartMs: 54_000, tEndMs: 64_750 },
    aclGroups: ['*'],
    metadata: { speaker: 'Harbour control', channel: 12, year: 2026, tags: ['radio', 'pier-4'] },
  },
  {
    ...radio,
    externalId: 'seed-pier4-radio-transcript',
    modality: 'asr',
    plane: 'audio',
    text:
      'Control, this is Takeda. Pack B is down to forty-four degrees and falling. The strainer is packed solid ' +
      'with eelgrass, I can pull it out by the handful. Nobody charges at the Cannery tonight.',
    locator: { kind: 'time_range', tStartMs: 4_310_000, tEndMs: 4_324_600 },
    aclGroups: ['backend'],
    metadata: { speaker: 'Jun Takeda', channel: 12, year: 2026, tags: ['radio', 'eelgrass'] },
  },
  {
    ...pierCamera,
    externalId: 'seed-pier4-camera-evacuation',
    modality: 'video_shot',
    text:
      'Pier 4 camera: passengers leave the moored ferry Dunlin in single file over the forward gangway while the ' +
      'skipper holds the charging cable, already unplugged, away from the walkway.',
    locator: { kind: 'time_range', tStartMs: 1_278_000, tEndMs: 1_391_000 },
    aclGroups: ['general'],
    metadata: { camera: 'pier-4-north', ferry: 'Dunlin', year: 2026, tags: ['evacuation', 'pier-4'] },
  },
  {
    externalId: 'seed-pier4-thermal-image',
    scope: 'harbor/backend',
    modality: 'image',
    text:
      'Thermal photo of battery pack B on the ferry Dunlin, taken at Pier 4 eleven minutes after the overheat: ' +
      'thirteen blue modules and one glowing orange, module 7, beside the blocked coolant inlet.',
    docId: 'photos-2026-06-12-dunlin',
    sourceUri: 'harbor/photos/2026-06-12/dunlin-pack-b-thermal.png',
    file: 'dunlin-pack-b-thermal.png',
    mime: 'image/png',
    aclGroups: ['backend'],
    metadata: { camera: 'thermal', ferry: 'Dunlin', year: 2026, tags: ['battery', 'pier-4', 'thermal'] },
  },
  {
    externalId: 'seed-pier4-hotspot-detection',
    scope: 'harbor/backend',
    modality: 'detection',
    text: 'hotspot on battery module 7, estimated 61 °C',
    docId: 'photos-2026-06-12-dunlin',
    sourceUri: 'harbor/photos/2026-06-12/dunlin-pack-b-thermal.png',
    file: 'dunlin-pack-b-thermal.png',
    mime: 'image/png',
    locator: { kind: 'bbox', x: 0.52, y: 0.31, w: 0.11, h: 0.18 },
    aclGroups: ['backend'],
    metadata: { label: 'hotspot', confidence: 0.97, ferry: 'Dunlin', year: 2026 },
  },
  {
    externalId: 'seed-pier4-lab-report-page',
    scope: 'harbor/backend',
    modality: 'doc_page',
    text:
      'Ellery Marine Laboratory, report 26-0881, page 2. Cell inspection of battery pack B, ferry Dunlin. Four of ' +
      '24 cells in module 7 lost more than 6 % of their capacity; no internal short was found. Verdict: replace ' +
      'module 7, keep the other thirteen. The overheat at Pier 4 began outside the pack, in its cooling circuit.',
    docId: 'lab-report-26-0881',
    sourceUri: 'harbor/reports/lab-26-0881.pdf',
    mime: 'application/pdf',
    locator: { kind: 'bbox', page: 2, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['backend', 'finance'],
    metadata: { page: 2, year: 2026, supplier: 'Ellery Marine Laboratory', tags: ['battery', 'laboratory'] },
  },
]
