/** `begin` forgets what was seen so far, `hold` holds the event loop up; all are answered with the longest stall since. */
export type Command = { kind: 'begin' } | { kind: 'end' } | { kind: 'hold'; ms: number }

/** How long the event loop was held up, in ms: by the clock, and of that by work of its own thread. */
export interface Stall {
  wallMs: number
  cpuMs: number
}

export type Report = { kind: 'listening'; url: string } | { kind: 'stall'; stall: Stall }
