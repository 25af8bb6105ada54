import { createLimiter } from '../../async/limiter.ts'
import { type ParsedFile, ParseError, type Parser } from '../../ports/parser.ts'
import type { Request, Result } from './messages.ts'
import { type ParserProcess, type ProcessLimits, startProcess } from './parser-process.ts'

export interface ParsingConfig extends ProcessLimits {
  workers: number
}

const idleMs = 10_000

/** Parses files in processes. They start on first use, and end when they have nothing to do for some seconds. */
export function createParserPool({ workers, ...limits }: ParsingConfig): Parser {
  const idle = new Map<ParserProcess, NodeJS.Timeout>()
  const all = new Set<ParserProcess>()
  const closing = new AbortController()
  const turns = createLimiter({ max: workers })

  const take = (): ParserProcess => {
    for (const [process, timer] of idle) {
      clearTimeout(timer)
      idle.delete(process)
      if (process.usable) return process
      all.delete(process)
    }
    const process = startProcess(limits)
    all.add(process)
    return process
  }

  const end = async (process: ParserProcess) => {
    idle.delete(process)
    all.delete(process)
    await process.end()
  }

  const giveBack = (process: ParserProcess) => {
    if (!process.usable) all.delete(process)
    else idle.set(process, setTimeout(() => void end(process), idleMs).unref())
  }

  const ask = async (request: Request, given: AbortSignal): Promise<Result> => {
    const stop = AbortSignal.any([given, closing.signal])
    const leave = await turns.enter({ signal: stop })
    const process = take()
    try {
      return await process.ask(request, stop)
    } finally {
      giveBack(process)
      leave()
    }
  }

  return {
    // A process answers each request with its own kind of result.
    parse: async (file, stop) => (await ask({ file }, stop)) as ParsedFile,
    pagePictures: async (file, pages, stop) => (await ask({ file, pages }, stop)) as (Uint8Array | null)[],
    close: async () => {
      closing.abort(new ParseError('internal', 'The service stops.'))
      for (const timer of idle.values()) clearTimeout(timer)
      await Promise.all([...all].map(end))
    },
  }
}
