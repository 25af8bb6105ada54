import { setTimeout as sleep } from 'node:timers/promises'

/** The scope of the load, separate from the demo dataset in the same namespace. */
const scope = 'durability/kill9'

/** A Unit as the load last sent it. */
export interface Known {
  externalId: string
  unitId: string
  text: string
  /** A word that occurs only in this version of this Unit. */
  word: string
  live: boolean
}

export interface UnitBody {
  external_id: string
  text: string
  [field: string]: unknown
}

export type Operation = { kind: 'ingest'; units: UnitBody[] } | { kind: 'delete'; ids: string[]; hard: boolean }

/** The clients' knowledge: all acknowledged operations, and those sent without an answer. */
export interface Ledger {
  units: Map<string, Known>
  inFlight: Operation[]
  /** External ids that changed since the last check. */
  touched: Set<string>
  acknowledged: { operations: number; units: number; deletes: number }
}

export const createLedger = (): Ledger => ({
  units: new Map(),
  inFlight: [],
  touched: new Set(),
  acknowledged: { operations: 0, units: 0, deletes: 0 },
})

export interface Answer {
  status: number
  // Bodies are checked field by field where they are used.
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  body: any
}

export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>

export function createSend(url: string, token: string): Send {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'x-svc-scope': scope, 'content-type': 'application/json' }
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { method, headers, ...payload })
    return { status: response.status, body: await response.json() }
  }
}

export const perform = (send: Send, operation: Operation): Promise<Answer> =>
  operation.kind === 'ingest'
    ? send('POST', '/v1/ingest', { units: operation.units })
    : send('POST', '/v1/units:delete', { ids: operation.ids, hard: operation.hard })

/** Records an applied operation in the ledger. `ids` are the Units of an ingest, in order. */
export function record(ledger: Ledger, operation: Operation, ids: readonly string[]): void {
  if (operation.kind === 'delete') {
    for (const unit of ledger.units.values()) {
      if (!operation.ids.includes(unit.unitId)) continue
      unit.live = false
      ledger.touched.add(unit.externalId)
    }
    return
  }
  for (const [i, { external_id: externalId, text }] of operation.units.entries()) {
    ledger.units.set(externalId, { externalId, unitId: ids[i] ?? '', text, word: wordOf(text), live: true })
    ledger.touched.add(externalId)
  }
}

/** Seeded random numbers (mulberry32), so that a seed gives the same sequence of operations. */
export function createChance(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/**
 * Consonants only: no stemmer shortens such a word, and it differs from all stop words. Fibonacci hashing spreads the
 * words, so that they rarely share sequences of letters. A search for many words must not match other Units by those.
 */
const wordFor = (n: number) =>
  [...(Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')]
    .map((digit) => 'bcdfghjklmnpqrtv'[parseInt(digit, 16)])
    .join('')
const wordOf = (text: string) => text.split(' ')[0] ?? ''

/**
 * One client that writes until the server is gone, one operation at a time, so at most one is in flight.
 * It changes only its own Units, so other clients cannot affect its expectations.
 */
export async function writeUntilGone(send: Send, ledger: Ledger, name: string, chance: (n: number) => number) {
  for (let n = 0; ; n++) {
    const operation = nextOperation(ledger, name, `${name}-${n}`, chance)
    const answer = await perform(send, operation).catch((error: unknown) => {
      if (error instanceof TypeError) return null
      throw error
    })
    if (answer === null) {
      ledger.inFlight.push(operation)
      return
    }
    if (answer.status !== 200) throw new Error(`${operation.kind} answered ${JSON.stringify(answer)}`)
    ledger.acknowledged.operations += 1
    if (operation.kind === 'ingest') {
      ledger.acknowledged.units += operation.units.length
      record(
        ledger,
        operation,
        answer.body.units.map((unit: { unit_id: string }) => unit.unit_id),
      )
    } else {
      if (answer.body.matched !== operation.ids.length) throw new Error(`delete answered ${JSON.stringify(answer)}`)
      ledger.acknowledged.deletes += operation.ids.length
      record(ledger, operation, [])
    }
    // Lets the kill timer run, even under load.
    await sleep(0)
  }
}

let words = 0

export function nextOperation(ledger: Ledger, client: string, batch: string, chance: (n: number) => number): Operation {
  const own = [...ledger.units.values()].filter((unit) => unit.live && unit.externalId.startsWith(`${client}-`))
  const pick = (max: number) => {
    const start = chance(own.length)
    return own.slice(start, start + 1 + chance(max))
  }
  const dice = own.length === 0 ? 0 : chance(100)
  if (dice >= 75) return { kind: 'delete', ids: pick(5).map((unit) => unit.unitId), hard: dice >= 88 }
  const externalIds =
    dice >= 50
      ? pick(20).map((unit) => unit.externalId)
      : Array.from({ length: 1 + chance(chance(6) === 0 ? 200 : 20) }, (_, i) => `${batch}-${i}`)
  return { kind: 'ingest', units: externalIds.map((externalId) => unitBody(externalId, chance)) }
}

function unitBody(externalId: string, chance: (n: number) => number): UnitBody {
  const text = `${wordFor(words++)} log entry ${externalId}`
  const vector = () => Array.from({ length: 8 }, () => chance(1000) / 1000 + 0.001)
  return {
    external_id: externalId,
    text,
    ...(chance(2) === 0 ? { doc_id: `doc-${chance(40)}` } : {}),
    ...(chance(4) === 0 ? { modality: 'image', source_uri: `camera://${externalId}` } : {}),
    ...(chance(3) === 0 ? { vector: vector() } : {}),
  }
}
