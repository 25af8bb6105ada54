import { getHeapStatistics } from 'node:v8'
import { startInterval } from '../async/interval.ts'
import { badRequest, ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import type { Room } from '../model/request.ts'

export interface BufferLimits {
  /** What bodies and answers of all callers may take: a half each. */
  bytes: number
  /** Requests that a principal, and that an address without a credential, may have open. */
  openOfPrincipal: number
  openOfAddress: number
  /** How long an answer waits for room; where its caller takes it, since that has read an answer to its end. */
  waitMs: number
}

/** The part of `bytes` that the bodies of a caller may take, and its answers. */
const shareOfCaller = 1 / 4
const shareOfKind = 1 / 2

/** A parsed body with what is made of it takes several times its bytes. */
const shareOfHeap = 1 / 16

/** Less than `wanted` in a process that may have little memory. */
export const bufferBytes = (wanted: number): number =>
  Math.min(wanted, getHeapStatistics().heap_size_limit * shareOfHeap)

/** Bodies up to this size never wait: as many as there are connections take little. */
const smallBody = 64 * 1024

/** After each such time without room for any caller, answers are cut off that began to leave so long ago. */
const [cutMs, oldMs] = [2_000, 5_000]

type Kind = 'body' | 'answer'

/** A principal, or an address. */
interface Account {
  key: string
  held: Record<Kind, number>
  rooms: Set<RequestRoom>
  /** Those with a body, in the order in which they began. */
  bodies: Set<RequestRoom>
  /** When an answer last made room, or the first request began; of `performance.now()`. */
  freedAt: number
}

/**
 * The memory of bodies that are read or in work, and of answers that have not left. A body above the limit waits unread, an
 * answer waits before it is made. The oldest body of a caller and of all may always go on, so that none waits for another
 * that waits. While answers take all room for long, the largest ones of the caller that holds most are cut off.
 */
export class Buffers {
  readonly limits: BufferLimits
  readonly #log: Log
  readonly #accounts = new Map<string, Account>()
  readonly #bodies = new Set<RequestRoom>()
  /** Called when there may be room again. */
  readonly #waiting = new Set<() => void>()
  readonly #held: Record<Kind, number> = { body: 0, answer: 0 }

  constructor(limits: BufferLimits, log: Log) {
    this.limits = limits
    this.#log = log
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held.body + this.#held.answer
  }

  /** The room of a request from this address; `end` ends its connection. */
  begin(address: string, end: () => void): RequestRoom {
    return new RequestRoom(this, `address ${address}`, end)
  }

  join(key: string, room: RequestRoom): Account {
    const account = this.#accounts.get(key) ?? {
      key,
      held: { body: 0, answer: 0 },
      rooms: new Set(),
      bodies: new Set(),
      freedAt: performance.now(),
    }
    this.#accounts.set(key, account)
    account.rooms.add(room)
    for (const kind of ['body', 'answer'] as const)
      if (room.held[kind] > 0) this.add(account, room, kind, room.held[kind])
    return account
  }

  leave(account: Account, room: RequestRoom): void {
    account.rooms.delete(room)
    if (account.rooms.size === 0) this.#accounts.delete(account.key)
    for (const kind of ['body', 'answer'] as const)
      if (room.held[kind] > 0) this.add(account, room, kind, -room.held[kind])
  }

  /** Counts bytes of a room; all of its body are taken away at once. */
  add(account: Account, room: RequestRoom, kind: Kind, bytes: number): void {
    account.held[kind] += bytes
    this.#held[kind] += bytes
    if (kind === 'body') for (const set of [account.bodies, this.#bodies]) bytes > 0 ? set.add(room) : set.delete(room)
    if (kind === 'answer' && bytes < 0) account.freedAt = performance.now()
    if (bytes < 0) for (const retry of [...this.#waiting]) retry()
  }

  /** Who takes the room that another body would need; null where there is some. */
  fullForBody({ held, bodies }: Account, room: RequestRoom): 'caller' | 'process' | null {
    const { bytes } = this.limits
    if (held.body >= bytes * shareOfCaller && first(bodies) !== room) return 'caller'
    return this.#held.body >= bytes * shareOfKind && first(this.#bodies) !== room ? 'process' : null
  }

  /** Who takes the room that another answer would need. Short ones have more, so that they need not wait for long ones. */
  fullForAnswer({ held }: Account, isLong: boolean): 'caller' | 'process' | null {
    const { bytes } = this.limits
    if (held.answer >= bytes * shareOfCaller * (isLong ? 1 : 2)) return 'caller'
    return this.#held.answer >= bytes * shareOfKind ? 'process' : null
  }

  /** Calls `retry` whenever there may be room, until the result is called. */
  wait(retry: () => void): () => void {
    this.#waiting.add(retry)
    return () => void this.#waiting.delete(retry)
  }

  /** Makes room where there is none: ends answers of the caller that holds most, of those that began to leave long ago. */
  cut(): void {
    const before = performance.now() - oldMs
    const [most] = byAnswer(this.#accounts.values())
    let excess = this.#held.answer - this.limits.bytes * shareOfKind
    for (const { held, sentAt, end } of byAnswer(most?.rooms ?? [])) {
      if (excess < 0) return
      if (sentAt === null || sentAt > before) continue
      excess -= held.answer
      this.#log.warn({ bytes: held.answer }, 'an answer was cut off before it was read: other callers need the memory')
      end()
    }
  }
}

const first = <T>(set: ReadonlySet<T>): T | undefined => set.values().next().value

/** The largest answers first. */
const byAnswer = <T extends { held: Record<Kind, number> }>(all: Iterable<T>): T[] =>
  [...all].sort((a, b) => b.held.answer - a.held.answer)

/** The room of one request. */
export class RequestRoom implements Room {
  readonly #buffers: Buffers
  #account: Account
  #isOpen = true
  /** Ends its wait. */
  #interrupt = () => {}
  readonly held: Record<Kind, number> = { body: 0, answer: 0 }
  /** When the answer began to leave; of `performance.now()`. */
  sentAt: number | null = null
  /** Ends the connection. */
  readonly end: () => void

  constructor(buffers: Buffers, key: string, end: () => void) {
    this.#buffers = buffers
    this.#account = buffers.join(key, this)
    this.end = end
  }

  get #isAnonymous(): boolean {
    return this.#account.key.startsWith('address ')
  }

  /** Throws 429 while it has no credential, and its address has too many such requests open. */
  requireFew(): void {
    if (this.#isAnonymous && this.#account.rooms.size > this.#buffers.limits.openOfAddress) throw tooManyOpen()
  }

  enter(principalId: string): void {
    const key = `principal ${principalId}`
    if (!this.#isOpen || this.#account.key === key) return
    this.#buffers.leave(this.#account, this)
    this.#account = this.#buffers.join(key, this)
    if (this.#account.rooms.size > this.#buffers.limits.openOfPrincipal) throw tooManyOpen()
  }

  async more(isLong: boolean): Promise<void> {
    const full = () => this.#buffers.fullForAnswer(this.#account, isLong)
    if (!this.#isOpen || full() === null) return
    const { bytes, waitMs } = this.#buffers.limits
    if (this.held.answer >= bytes * shareOfCaller) throw tooLong(bytes * shareOfCaller)
    // It holds what others wait for: if it waited as well, none of them might ever go on.
    if (this.held.answer > 0) throw noRoom(full())
    const endCutting = startInterval(cutMs, () => {
      if (full() === 'process') this.#buffers.cut()
    })
    const ms = full() === 'caller' ? this.#account.freedAt + waitMs - performance.now() : waitMs
    await this.#wait(full, Math.max(0, ms)).finally(endCutting)
  }

  hold(bytes: number): void {
    if (this.#isOpen) this.#add('answer', bytes)
  }

  /** An answer of `bytes` is about to leave. Throws if there is no room for it, to a caller without a credential. */
  send(bytes: number): void {
    const uncounted = bytes - this.held.answer
    if (this.#isAnonymous && uncounted > smallBody) {
      this.requireFew()
      const full = this.#buffers.fullForAnswer(this.#account, true)
      if (full !== null) throw noRoom(full)
    }
    this.sentAt = performance.now()
    if (uncounted > 0) this.hold(uncounted)
  }

  /** Counts bytes of the body, and waits until there is room for more, `ms` at most. */
  async read(bytes: number, ms: number): Promise<void> {
    if (!this.#isOpen) return
    if (bytes > 0) this.#add('body', bytes)
    const full = () => this.#buffers.fullForBody(this.#account, this)
    if (this.held.body > smallBody && full() !== null) await this.#wait(full, ms)
  }

  /** The body is not needed any more. */
  finish(): void {
    if (this.#isOpen && this.held.body > 0) this.#add('body', -this.held.body)
  }

  /** The answer has left, or its client. */
  release(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#buffers.leave(this.#account, this)
    this.#interrupt()
  }

  #add(kind: Kind, bytes: number): void {
    this.held[kind] += bytes
    this.#buffers.add(this.#account, this, kind, bytes)
  }

  async #wait(full: () => 'caller' | 'process' | null, ms: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(noRoom(full())), ms)
    const done = this.#buffers.wait(() => {
      if (full() === null) resolve()
    })
    this.#interrupt = resolve
    try {
      await promise
    } finally {
      done()
      clearTimeout(timer)
    }
  }
}

/** Seconds. */
const retryAfter = 1

const tooManyOpen = () =>
  new ServiceError(
    'rate_limited',
    'too many requests of this caller are open: send the request again when some of them have been answered',
    { retryAfter },
  )

const noRoom = (full: 'caller' | 'process' | null) =>
  full === 'process'
    ? new ServiceError(
        'overloaded',
        'the bodies and unread answers of all callers take all memory that they may: send the request again later',
        { retryAfter },
      )
    : new ServiceError(
        'rate_limited',
        'the bodies and unread answers of this caller take all memory that they may: read the answers, then send the request again',
        { retryAfter },
      )

const tooLong = (bytes: number) =>
  badRequest(`the answer must be at most ${Math.floor(bytes / 2 ** 20)} MiB: ask for less in one request`)
