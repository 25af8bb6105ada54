import type { FileToParse, ParsedFile, ParseReason } from '../../ports/parser.ts'

/** What a parsing process is sent; it handles one file at a time. */
export type Request = FileToParse

/** What it answers, and the memory that it then holds, in bytes. */
export type Reply = { memory: number } & ({ parsed: ParsedFile } | { reason: ParseReason; detail: string })

/** What the watchdog of a parsing process gets. */
export interface WatchdogData {
  parent: number
  maxBytes: number
}

/** The signal by which a process that needs too much memory ends itself. */
export const outOfMemorySignal = 'SIGUSR2'
