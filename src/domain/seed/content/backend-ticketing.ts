import type { SeedUnit } from './seed-unit.ts'

/** 14 February 2026: the ticketing queue drowns in its own retries during the lantern cruise sale. */

const postmortem = {
  scope: 'harbor/backend',
  docId: 'postmortem-2026-02-14-ticketing',
  sourceUri: 'harbor/incidents/2026-02-14-ticketing.md',
  mime: 'text/markdown',
} as const

const review = {
  scope: 'harbor/backend',
  docId: 'meeting-2026-02-17-postmortem',
  sourceUri: 'harbor/meetings/2026-02-17-postmortem.ogg',
  mime: 'audio/ogg',
} as const

export const ticketing: readonly SeedUnit[] = [
  {
    ...postmortem,
    externalId: 'seed-ticketing-summary',
    modality: 'text',
    text:
      'Postmortem: retry storm in the ticketing queue, 14 February 2026. Between 18:02 and 18:49, while seats for ' +
      'the lantern cruise were on sale, the queue ticket-orders grew to 412,000 messages and the booking app ' +
      'showed a spinner to everyone. 1,938 customers were charged twice.',
    aclGroups: ['backend', 'general'],
    metadata: { severity: 'sev1', year: 2026, resolved: true, service: 'ticketing', tags: ['queue', 'retry-storm'] },
  },
  {
    ...postmortem,
    externalId: 'seed-ticketing-cause',
    modality: 'chunk',
    text:
      'What fed the storm: the payment gateway slowed from 300 ms to 9 s, our client gave up after 2 s, and every ' +
      'worker retried five times at once, without any delay or jitter. Each order became six payment attempts, ' +
      'which slowed the gateway further. The broker then redelivered unacknowledged messages after 30 s and ' +
      'multiplied the load once more.',
    locator: { kind: 'char_span', start: 610, end: 1188 },
    aclGroups: ['backend'],
    metadata: {
      severity: 'sev1',
      year: 2026,
      section: 'cause',
      service: 'ticketing',
      tags: ['queue', 'retry-storm', 'payments'],
    },
  },
  {
    ...postmortem,
    externalId: 'seed-ticketing-fix',
    modality: 'chunk',
    text:
      'Fixes shipped by 2 March 2026: exponential backoff with full jitter (base 250 ms, cap 60 s), a retry budget ' +
      'of 10 % of successful calls, an idempotency key per order so that a repeated charge is refused by the ' +
      'gateway, and a dead-letter queue after four attempts. A load test at eight times the February peak drained ' +
      'in 95 seconds.',
    locator: { kind: 'char_span', start: 1189, end: 1742 },
    aclGroups: ['backend'],
    metadata: { year: 2026, resolved: true, section: 'fix', service: 'ticketing', tags: ['backoff', 'idempotency'] },
  },
  {
    ...postmortem,
    externalId: 'seed-ticketing-refunds',
    modality: 'chunk',
    text:
      'Money: 1,938 double charges of 14 euros each, 27,132 euros in all, went back to the cards by 18 February. ' +
      'Ines Caldeira approved a free coffee voucher for everyone affected; 611 were redeemed. The gateway waived ' +
      'its transaction fees for the repeated attempts.',
    locator: { kind: 'char_span', start: 1743, end: 2091 },
    aclGroups: ['finance'],
    metadata: { year: 2026, section: 'refunds', amount: 27132, currency: 'EUR', tags: ['refund', 'payments'] },
  },
  {
    externalId: 'seed-ticketing-runbook-drain',
    scope: 'harbor/backend',
    modality: 'text',
    text:
      'Runbook: draining the ticketing queue. 1. Pause the consumers with the flag orders.consume=off, never by ' +
      'killing workers. 2. Check the depth; above 50,000 call the payment gateway before resuming. 3. Resume at 5 ' +
      'workers, double every two minutes while the error rate stays under 1 %. 4. Replay the dead-letter queue ' +
      'last, oldest first.',
    docId: 'runbook-ticketing-queue',
    sourceUri: 'harbor/runbooks/ticketing-queue.md',
    mime: 'text/markdown',
    aclGroups: ['backend'],
    metadata: { year: 2026, service: 'ticketing', owner: 'Priya Raman', tags: ['runbook', 'queue'] },
  },
  {
    externalId: 'seed-ticketing-log-retry',
    scope: 'harbor/backend',
    modality: 'log_template',
    text:
      'WARN ticketing-worker retry <attempt> of <max_attempts> for order <order_id>: payment gateway timed out ' +
      'after <milliseconds> ms, next try in <delay> ms',
    docId: 'logs-ticketing-worker',
    sourceUri: 'harbor/logs/ticketing-worker.log',
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 1204, end: 1204 },
    aclGroups: ['backend'],
    metadata: { service: 'ticketing', level: 'warn', occurrences: 2_061_774, year: 2026 },
  },
  {
    externalId: 'seed-ticketing-log-depth',
    scope: 'harbor/backend',
    modality: 'log_template',
    text:
      'ERROR broker queue <queue> depth <depth> above high-water mark <limit>, publisher <client_id> blocked for ' +
      '<seconds> s',
    docId: 'logs-broker',
    sourceUri: 'harbor/logs/broker.log',
    mime: 'text/plain',
    locator: { kind: 'line_range', start: 733, end: 741 },
    aclGroups: ['backend'],
    metadata: { service: 'broker', level: 'error', occurrences: 412, year: 2026 },
  },
  {
    ...review,
    externalId: 'seed-ticketing-review-breck',
    modality: 'asr',
    text:
      'I want it said plainly: the gateway was slow for eleven minutes, and we were down for forty-seven. The ' +
      'other thirty-six we did to ourselves, with a retry loop that had no brakes.',
    locator: { kind: 'time_range', tStartMs: 312_000, tEndMs: 326_500 },
    aclGroups: ['general'],
    metadata: { speaker: 'Tomasz Breck', year: 2026, tags: ['postmortem', 'retry-storm'] },
  },
  {
    ...review,
    externalId: 'seed-ticketing-review-raman',
    modality: 'audio_utterance',
    text:
      'When I paused the ticketing queue at 18:40 the depth stopped climbing within a minute. So the runbook ' +
      'works. What did not work is that it took me half an hour to find it.',
    locator: { kind: 'time_range', tStartMs: 498_200, tEndMs: 511_900 },
    aclGroups: ['backend'],
    metadata: { speaker: 'Priya Raman', year: 2026, tags: ['postmortem', 'runbook'] },
  },
  {
    externalId: 'seed-ticketing-graph',
    scope: 'harbor/backend',
    modality: 'image',
    text:
      'Dashboard screenshot of the ticketing queue on 14 February 2026: a flat blue line turns into a cliff at ' +
      '18:02, peaks at 412,000 messages at 18:40 and falls back by 18:49. Below it, the red retry curve copies the ' +
      'shape six times higher.',
    docId: 'postmortem-2026-02-14-ticketing',
    sourceUri: 'harbor/incidents/2026-02-14-queue-depth.png',
    mime: 'image/png',
    aclGroups: ['backend'],
    metadata: { year: 2026, service: 'ticketing', tags: ['dashboard', 'queue', 'retry-storm'] },
  },
  {
    externalId: 'seed-ticketing-whiteboard-region',
    scope: 'harbor/backend',
    modality: 'image_region',
    text:
      'Whiteboard corner from the postmortem: a loop of arrows between worker, gateway and broker, labelled "x6", ' +
      'with a small drawing of a brake pedal and the words "budget 10 %".',
    docId: 'meeting-2026-02-17-postmortem',
    sourceUri: 'harbor/meetings/2026-02-17-whiteboard.jpg',
    mime: 'image/jpeg',
    locator: { kind: 'bbox', x: 0.58, y: 0.07, w: 0.36, h: 0.4 },
    aclGroups: ['backend'],
    metadata: { year: 2026, tags: ['whiteboard', 'retry-storm'] },
  },
  {
    externalId: 'seed-ticketing-private-note',
    scope: 'harbor/backend',
    modality: 'text',
    text:
      'Private note after the ticketing postmortem: Priya carried the whole night alone. Ask for a second on-call ' +
      'engineer on sale days before the autumn regatta, and thank her properly.',
    aclGroups: [],
    metadata: { year: 2026, tags: ['private', 'on-call'] },
  },
]
