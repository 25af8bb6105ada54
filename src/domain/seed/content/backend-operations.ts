import type { SeedUnit } from './seed-unit.ts'

/** Runbooks, log templates and cloud costs of the platform behind the ferries. */

const cloudCosts = {
  scope: 'harbor/backend',
  docId: 'cloud-costs-2026-05',
  sourceUri: 'harbor/reports/cloud-costs-2026-05.pdf',
  mime: 'application/pdf',
} as const

const berthScheduler = {
  scope: 'harbor/backend',
  docId: 'runbook-berth-scheduler',
  sourceUri: 'harbor/runbooks/berth-scheduler.md',
  mime: 'text/markdown',
} as const

export const backendOperations: readonly SeedUnit[] = [
  {
    ...berthScheduler,
    externalId: 'seed-ops-berth-scheduler',
    modality: 'chunk',
    text:
      'The berth scheduler gives every ferry a berth and a charging window 20 minutes before arrival. Pier 1 and ' +
      'Pier 4 have charging towers; the other three piers only shore power for lights. When both towers are taken, ' +
      'the ferry with the lowest charge goes first.',
    locator: { kind: 'line_range', start: 1, end: 14 },
    aclGroups: ['*'],
    metadata: { service: 'berth-scheduler', year: 2026, tags: ['runbook', 'charging'] },
  },
  {
    ...berthScheduler,
    externalId: 'seed-ops-berth-scheduler-override',
    modality: 'chunk',
    text:
      'To override a berth by hand, run "berth assign <ferry> <pier> --until <time>" and tell harbour control on ' +
      'channel 12. An override outlives a restart. Remove it with "berth release <ferry>", otherwise the scheduler ' +
      'keeps the berth empty all day, as happened on 8 August 2025.',
    locator: { kind: 'line_range', start: 40, end: 63 },
    aclGroups: ['backend'],
    metadata: { service: 'berth-scheduler', year: 2026, tags: ['runbook', 'override'] },
  },
  {
    externalId: 'seed-ops-summer-time-incident',
    scope: 'harbor/backend',
    modality: 'text',
    text:
      'Incident note, 29 March 2026: after the switch to summer time all departure boards ran one hour behind for ' +
      'the first 3 hours and 20 minutes of service. The timetable export stored local times without a zone. 212 ' +
      'passengers missed a boat. Times are now stored in UTC and rendered per pier.',
    docId: 'incident-2026-03-29-summer-time',
    sourceUri: 'harbor/incidents/2026-03-29-summer-time.md',
    mime: 'text/markdown',
    aclGroups: ['backend', 'general'],
    metadata: { severity: 'sev3', year: 2026, resolved: true, service: 'departure-boards', tags: ['time-zone'] },
  },
  {
    externalId: 'seed-ops-database-failover',
    scope: 'harbor/backend',
    modality: 'text',
    text:
      'Database failover drill, 5 May 2026: the primary was stopped at 03:00, the replica took over after 41 ' +
      'seconds, and no booking was lost. The goal was 60 seconds. One surprise: the reporting job held a ' +
      'connection to the old primary until it was restarted by hand.',
    docId: 'drill-2026-05-05-failover',
    sourceUri: 'harbor/drills/2026-05-05-failover.md',
    mime: 'text/markdown',
    aclGroups: ['backend'],
    metadata: { year: 2026, service: 'bookings', tags: ['drill', 'database', 'failover'] },
  },
  {
    externalId: 'seed-ops-certificate-runbook',
    scope: 'harbor/backend',
    modality: 'text',
    text:
      'Runbook: rotating the certificates of the ticket gates. Each gate keeps two certificates and trusts both. ' +
      'Upload the new one on a Tuesday before 10:00, wait until all 22 gates report it, and only then revoke the ' +
      'old one. A gate that misses the window stays open and counts passengers by its infrared beam.',
    docId: 'runbook-gate-certificates',
    sourceUri: 'harbor/runbooks/gate-certificates.md',
    mime: 'text/markdown',
    aclGroups: ['backend'],
    metadata: { year: 2025, service: 'ticket-gates', tags: ['runbook', 'certificates'] },
  },
  {
    externalId: 'seed-ops-log-tide',
    scope: 'harbor/backend',
    modality: 'log_template',
    text:
      'INFO tide-service forecast <station> refreshed: low <low_cm> cm at <low_time>, high <high_cm> cm at ' +
      '<high_time>, source <provider>',
    docId: 'logs-tide-service',
    sourceUri: 'harbor/logs/tide-service.log',
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 15, end: 15 },
    aclGroups: ['*'],
    metadata: { service: 'tide-service', level: 'info', occurrences: 8760, year: 2025 },
  },
  {
    externalId: 'seed-ops-log-gate',
    scope: 'harbor/backend',
    modality: 'log_template',
    text:
      'WARN gate-agent gate <gate_id> rejected ticket <ticket_id>: valid from <valid_from>, presented at ' +
      '<presented_at>',
    docId: 'logs-gate-agent',
    sourceUri: 'harbor/logs/gate-agent.log',
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 5120, end: 5161 },
    aclGroups: ['general'],
    metadata: { service: 'ticket-gates', level: 'warn', occurrences: 3309, year: 2026 },
  },
  {
    externalId: 'seed-ops-architecture-diagram',
    scope: 'harbor/backend',
    modality: 'image',
    text:
      'Architecture diagram: ferries send telemetry over 5G to the telemetry gateway, which feeds the berth ' +
      'scheduler and the charge controller. Ticketing stands apart, behind its own queue, and shares only the ' +
      'timetable. Dotted lines mark what still works when the mobile network is down.',
    docId: 'architecture-overview',
    sourceUri: 'harbor/diagrams/architecture-overview.svg',
    mime: 'image/svg+xml',
    aclGroups: ['*'],
    metadata: { year: 2026, tags: ['architecture', 'diagram'] },
  },
  {
    externalId: 'seed-ops-diagram-offline-region',
    scope: 'harbor/backend',
    modality: 'image_region',
    text:
      'Detail of the architecture diagram: the on-board computer with a 72-hour buffer for telemetry and a local ' +
      'copy of the day timetable, drawn inside the dotted line that means "works offline".',
    docId: 'architecture-overview',
    sourceUri: 'harbor/diagrams/architecture-overview.svg',
    mime: 'image/svg+xml',
    locator: { kind: 'bbox', x: 0.04, y: 0.55, w: 0.3, h: 0.35 },
    aclGroups: ['backend'],
    metadata: { year: 2026, tags: ['architecture', 'offline'] },
  },
  {
    ...cloudCosts,
    externalId: 'seed-ops-cloud-costs-page',
    modality: 'doc_page',
    text:
      'Cloud cost report, May 2026, page 1. Total 11,480 euros: telemetry storage 4,310, queue workers 2,905, ' +
      'model inference 1,640, everything else 2,625. Telemetry storage grew by 19 % since January, mostly camera ' +
      'footage that nobody opens after 30 days.',
    locator: { kind: 'bbox', page: 1, x: 0, y: 0, w: 1, h: 1 },
    aclGroups: ['finance'],
    metadata: { page: 1, year: 2026, month: 5, amount: 11480, currency: 'EUR', tags: ['cloud', 'costs'] },
  },
  {
    ...cloudCosts,
    externalId: 'seed-ops-cloud-costs-forecast',
    modality: 'chunk',
    text:
      'Forecast: keeping camera footage for 30 days instead of 180 saves about 1,900 euros of cloud cost a month ' +
      'from July 2026. The retry storm in February cost 1,270 euros extra in queue workers and traffic. Finance ' +
      'asks for a budget alarm at 13,000 euros.',
    locator: { kind: 'char_span', start: 2960, end: 3380 },
    aclGroups: ['finance'],
    metadata: { page: 2, year: 2026, month: 5, currency: 'EUR', tags: ['cloud', 'costs', 'forecast'] },
  },
  {
    externalId: 'seed-ops-storage-bill',
    scope: 'harbor/backend',
    modality: 'ocr',
    plane: 'doc_visual',
    text:
      'NIMBUS & KEEL HOSTING. Statement 05/2026, customer 70417. Object storage 86.2 TB = 4,310.00. Worker hours 14,525 ' +
      'at 0.20 = 2,905.00. Subtotal, this page: EUR 7,215.00. Continued on page 2.',
    docId: 'statement-nimbus-2026-05',
    sourceUri: 'harbor/invoices/2026/nimbus-2026-05.pdf',
    mime: 'application/pdf',
    locator: { kind: 'bbox', page: 1, x: 0.08, y: 0.12, w: 0.84, h: 0.5 },
    aclGroups: ['finance'],
    metadata: { supplier: 'Nimbus & Keel', year: 2026, month: 5, page: 1, currency: 'EUR', tags: ['invoice', 'cloud'] },
  },
  {
    externalId: 'seed-ops-gateway-contract',
    scope: 'harbor/backend',
    modality: 'chunk',
    text:
      'Contract with the payment gateway, section 7: when the median response time exceeds 2 seconds for more than ten ' +
      'minutes, the monthly fee of 1,850 euros is halved. We claimed this service credit for February 2026 and received ' +
      '925 euros. The contract renews on 1 January 2027 unless cancelled by 30 September.',
    docId: 'contract-payment-gateway',
    sourceUri: 'harbor/contracts/payment-gateway.pdf',
    mime: 'application/pdf',
    locator: { kind: 'char_span', start: 8102, end: 8534 },
    aclGroups: ['finance'],
    metadata: { year: 2026, section: 7, amount: 925, currency: 'EUR', tags: ['contract', 'payments', 'sla'] },
  },
  {
    externalId: 'seed-ops-german-runbook',
    scope: 'harbor/backend',
    modality: 'text',
    text:
      'Betriebsanleitung Ladeturm Pier 1: Vor dem Anstecken den Stecker auf Salzkrusten prüfen. Leuchtet die ' +
      'Anzeige gelb, ist der Isolationswiderstand unter 500 Kiloohm gefallen; dann nicht laden, sondern den ' +
      'Bereitschaftsdienst unter Durchwahl 417 anrufen. Der Ladevorgang endet von selbst bei 92 Prozent.',
    docId: 'betriebsanleitung-ladeturm',
    sourceUri: 'harbor/runbooks/ladeturm-pier-1.de.md',
    mime: 'text/markdown',
    aclGroups: ['backend'],
    metadata: { lang: 'de', year: 2025, tags: ['runbook', 'charging', 'pier-1'] },
  },
  {
    externalId: 'seed-ops-oncall-draft',
    scope: 'harbor/backend',
    modality: 'text',
    text:
      'Draft, not shared yet: move the on-call handover from Monday 09:00 to Wednesday 14:00. Five of the last ' +
      'seven pages came on a Friday, and the Monday handover leaves whoever knows the week best asleep by then.',
    aclGroups: [],
    metadata: { year: 2026, tags: ['private', 'on-call'] },
  },
]
