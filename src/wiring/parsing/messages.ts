import type { FileToParse, PagePicture, ParsedFile, ParsedUnit, ParseReason } from '../../ports/parser.ts'

/** What a parsing process is sent; it handles one file at a time. With `pages`, it gives pictures of them. */
export interface Request {
  file: FileToParse
  pages?: readonly number[]
}

export type Result = ParsedFile | (PagePicture | null)[]

/** What it answers, and the memory that it then holds, in bytes. `more`: text and Units follow, which `rest` asks for. */
export type Reply = { memory: number } & ({ result: Result; more: boolean } | { reason: ParseReason; detail: string })

/** A part of a large result: a message takes several times its size in memory, on both sides. */
export interface Rest {
  text: string
  units: ParsedUnit[]
  more: boolean
}

export interface ParserCalls {
  parse: { ask: Request; answer: Reply }
  rest: { ask: null; answer: Rest }
}

/** What the watchdog of a parsing process gets. */
export interface WatchdogData {
  parent: number
  maxBytes: number
}

/** The signal by which a process that needs too much memory ends itself. */
export const outOfMemorySignal = 'SIGUSR2'
