import type { FileToParse, PagePicture, ParsedFile, ParseReason } from '../../ports/parser.ts'

/** What a parsing process is sent; it handles one file at a time. With `pages`, it gives pictures of them. */
export interface Request {
  file: FileToParse
  pages?: readonly number[]
}

export type Result = ParsedFile | (PagePicture | null)[]

/** What it answers, and the memory that it then holds, in bytes. */
export type Reply = { memory: number } & ({ result: Result } | { reason: ParseReason; detail: string })

export interface ParserCalls {
  parse: { ask: Request; answer: Reply }
}

/** What the watchdog of a parsing process gets. */
export interface WatchdogData {
  parent: number
  maxBytes: number
}

/** The signal by which a process that needs too much memory ends itself. */
export const outOfMemorySignal = 'SIGUSR2'
