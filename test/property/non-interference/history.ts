import type { Modality } from '../../../src/model/unit.ts'
import type { Draw } from '../draw.ts'
import type { Removal, World, Write } from './world.ts'

/** The tokens of a run's principals, in one of the two worlds. */
export interface Tokens {
  reader: string
  keeper: string
  /** Writes hidden Units, in the reader's namespace and in another namespace. */
  other: string
}

interface Step {
  /** The worlds in which the step runs. */
  of: 'both' | 'alone' | 'crowded'
  apply(world: World, tokens: Tokens): Promise<void>
}

export interface History {
  steps: Step[]
  visibleIds: string[]
  hiddenIds: string[]
}

export const startTime = 1_700_000_000_000
const english = ['ferry', 'harbour', 'pier', 'storm', 'engine', 'the', 'running', 'ticket', 'crane', 'quay']
/** Words of languages with stems of their own: a hidden Unit may be the only one in its language. */
const others = ['порт', 'порта', 'người', 'cảng', 'Häuser', 'der', 'wurde']
/** Names that passages share: the steps of an answer follow them. */
export const names = ['Nordvik Marine', 'Ada Lindqvist', 'Harbour Queen', 'Vane', 'Pier Society']
export const vocabulary = [...english, ...others]
export const modalities: readonly Modality[] = ['text', 'text', 'chunk', 'image', 'audio_utterance', 'doc_page']
export const drawVector = (draw: Draw): number[] => [draw.upTo(8) - 4, draw.upTo(8) - 4, 1 + draw.upTo(4)]

/** Draws content for visible and hidden Units from the same words, documents, sources and external ids. */
function drawContent(draw: Draw): Record<string, unknown> {
  // Some are long, and ranked by their best passage.
  const length = draw.chance(8) ? 301 + draw.upTo(600) : 1 + draw.upTo(7)
  const words = Array.from({ length }, () => draw.pick(draw.chance(20) ? names : vocabulary))
  // What a passage is about stands in its first line.
  const subject = draw.chance(25) ? `${draw.pick(names)}\n\n` : ''
  const start = draw.upTo(50)
  const isVector = draw.chance(45)
  return {
    modality: draw.pick(modalities),
    ...(isVector && draw.chance(20) ? {} : { text: `${subject}${words.join(' ')}.` }),
    ...(isVector ? { vector: drawVector(draw) } : {}),
    ...(draw.chance(40) ? { doc_id: draw.pick(['doc-1', 'doc-2']) } : {}),
    ...(draw.chance(30) ? { source_uri: draw.pick(['s3://a', 's3://b']), mime: 'video/mp4' } : {}),
    ...(draw.chance(30) ? { locator: { kind: 'time_range', t_start_ms: start, t_end_ms: start + draw.upTo(30) } } : {}),
    metadata: { tag: draw.pick(['a', 'b']), size: draw.upTo(9) },
  }
}

interface ReaderFacts {
  readerId: string
  /** `red` applies in `open`, `green` only in `open/sub`; if false, there is no `green`. */
  isGuest: boolean
}

/** Draws a reason why the reader may see a Unit. */
function drawOpening(draw: Draw, { readerId, isGuest }: ReaderFacts) {
  const scope = draw.pick(['open', 'open/sub'])
  return {
    scope,
    ...draw.pick([
      { acl_owner: readerId, acl_groups: [] },
      { acl_owner: 'stranger', acl_groups: ['red'] },
      { acl_owner: 'stranger', acl_groups: ['*'] },
      { acl_owner: 'stranger', acl_groups: ['blue', 'red'] },
      { acl_owner: 'stranger', acl_groups: isGuest && scope === 'open/sub' ? ['green'] : ['red'] },
    ]),
  }
}

/** Draws a reason why it may not: the ACL, the scope, or the namespace; each is sufficient. */
const drawClosing = (draw: Draw, { readerId }: ReaderFacts, home: string, elsewhere: string) =>
  draw.pick([
    { namespace: home, acl: { scope: 'open', acl_groups: [] } },
    { namespace: home, acl: { scope: 'open', acl_groups: ['blue', 'redder', 're'] } },
    { namespace: home, acl: { scope: 'open', acl_groups: ['green', 'violet'] } },
    { namespace: home, acl: { scope: 'open/sub', acl_groups: ['violet'] } },
    { namespace: home, acl: { scope: 'open/sub', acl_owner: 'red', acl_groups: [readerId] } },
    { namespace: home, acl: { scope: 'closed', acl_owner: readerId, acl_groups: ['*'] } },
    { namespace: home, acl: { scope: 'opened', acl_groups: ['*'] } },
    { namespace: elsewhere, acl: { scope: 'open', acl_owner: readerId, acl_groups: ['*', 'red'] } },
  ])

interface Written {
  unitId: string
  namespace: string
  unit: Record<string, unknown>
}

/** Draws visible steps, the same in both worlds, with hidden steps between them, which only one world runs. */
export function drawHistory(draw: Draw, reader: ReaderFacts, home: string, elsewhere: string): History {
  const history: History = { steps: [], visibleIds: [], hiddenIds: [] }
  let serial = 0
  // Ids in random order: the order of equal hits must not show the order of arrival.
  const newId = () => {
    serial += 1
    return `unit_${String(draw.upTo(999_999)).padStart(6, '0')}n${home}n${serial}`
  }

  const ingest = (hidden: boolean, write: Omit<Write, 'token'>) => {
    const apply: Step['apply'] = (world, tokens) =>
      world.ingest({ ...write, token: hidden ? tokens.other : tokens.keeper })
    history.steps.push({ of: hidden ? 'crowded' : 'both', apply })
  }

  /** Deletes a Unit in one world, and only hides it from the reader in the other. */
  const close = (time: number, { unitId, namespace, unit }: Written) => {
    // A hard delete: the reader could still purge a tombstoned Unit, and it would count then.
    const removal: Removal = { namespace, time, ids: [unitId], hard: true }
    const units = [{ ...unit, ...drawContent(draw), acl_owner: 'stranger', acl_groups: ['blue'] }]
    const write = { namespace, time, unitIds: [], units }
    history.hiddenIds.push(unitId)
    history.steps.push(
      { of: 'alone', apply: (world) => world.remove(removal) },
      { of: 'crowded', apply: (world, { keeper }) => world.ingest({ ...write, token: keeper }) },
    )
  }

  const add = (hidden: boolean, time: number, { unitId, namespace, unit }: Written) => {
    ingest(hidden, { namespace, time, unitIds: [unitId], units: [unit] })
    history[hidden ? 'hiddenIds' : 'visibleIds'].push(unitId)
  }

  /** Adds a Unit, or changes or removes an existing one. */
  const change = (hidden: boolean, time: number, live: Written[], create: () => Omit<Written, 'unitId'>) => {
    if (live.length === 0 || draw.chance(70)) {
      const written = { ...create(), unitId: newId() }
      live.push(written)
      return add(hidden, time, written)
    }
    const written = draw.pick(live)
    const { unitId, namespace, unit } = written
    if (draw.chance(40)) {
      const { scope, acl_owner, acl_groups, external_id } = unit
      const units = [{ ...drawContent(draw), scope, acl_owner, acl_groups, external_id }]
      return ingest(hidden, { namespace, time, unitIds: [], units })
    }
    live.splice(live.indexOf(written), 1)
    if (!hidden && draw.chance(50)) return close(time, written)
    const removal: Removal = { namespace, time, ids: [unitId], hard: draw.chance(50) }
    history.steps.push({ of: hidden ? 'crowded' : 'both', apply: (world) => world.remove(removal) })
  }

  const [visible, hidden]: [Written[], Written[]] = [[], []]
  const createVisible = () => {
    const external_id = `ext-${history.visibleIds.length}`
    return { namespace: home, unit: { ...drawContent(draw), ...drawOpening(draw, reader), external_id } }
  }
  const createHidden = () => {
    const { namespace, acl } = drawClosing(draw, reader, home, elsewhere)
    // Other writers may use the same external ids.
    return { namespace, unit: { ...drawContent(draw), ...acl, external_id: `ext-${history.hiddenIds.length}` } }
  }
  const steps = 4 + draw.upTo(16)
  const crowdAt = draw.chance(20) ? draw.upTo(steps - 1) : -1
  for (let i = 0; i < steps; i++) {
    const time = startTime + i * 1000
    for (let n = draw.upTo(3); n > 0; n--) change(true, time + draw.upTo(9999), hidden, createHidden)
    if (i === crowdAt) {
      // More than the first batch of any leg: if they counted, they would push out visible Units.
      const units = Array.from({ length: 230 }, () => ({ ...drawContent(draw), scope: 'open', acl_groups: ['blue'] }))
      ingest(true, { namespace: home, time, unitIds: units.map(newId), units })
    }
    change(false, time, visible, createVisible)
  }
  // At least one is hidden where the reader looks.
  const secret = { text: 'a hidden ferry', scope: 'open', acl_groups: ['blue'] }
  add(true, startTime, { unitId: newId(), namespace: home, unit: secret })
  // An ingest waits for the indexes. After this last one, both worlds have indexed all deletions too.
  const unit = { text: 'the last ferry', scope: 'open', acl_groups: ['red'] }
  add(false, startTime, { unitId: newId(), namespace: home, unit })
  return history
}
