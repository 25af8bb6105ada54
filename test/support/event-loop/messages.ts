/** `begin` resets the measurement, `hold` blocks the event loop; both return the longest stall since the reset. */
export type Command = { kind: 'begin' } | { kind: 'end' } | { kind: 'hold'; ms: number }

/** How long the event loop was blocked, in ms: wall-clock time, and the part that its own thread used of the CPU. */
export interface Stall {
  wallMs: number
  cpuMs: number
}

export type Report = { kind: 'listening'; url: string } | { kind: 'stall'; stall: Stall }
