import { fork } from 'node:child_process'
import { fileFormats } from '../../adapters/parsers/formats.ts'
import { createWorkerPool, type Ending, WorkerHost } from '../../async/worker-host.ts'
import { type PagePicture, type ParsedFile, ParseError, type Parser } from '../../ports/parser.ts'
import { outOfMemorySignal, type ParserCalls, type Request, type Result } from './messages.ts'

export interface ParsingConfig {
  workers: number
  memoryBytes: number
  timeoutMs: number
}

const idleMs = 10_000

/** What a process needs besides its heap. V8 collects garbage in time only if it knows of the limit. */
const otherMb = 96
const heapMb = (memoryBytes: number) => Math.max(64, Math.ceil(memoryBytes / 2 ** 20) - otherMb)

/**
 * Parses files in processes, each of them one file at a time. They start on first use, and end when they have nothing to
 * do for some seconds, and after a timeout, too much memory and a stop.
 */
export function createParserPool({ workers, memoryBytes, timeoutMs }: ParsingConfig): Parser {
  const start = () => {
    const child = fork(new URL('./process.ts', import.meta.url), [String(memoryBytes)], {
      execArgv: [`--max-old-space-size=${heapMb(memoryBytes)}`],
      // Nothing of the service's secrets.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    return new WorkerHost<ParserCalls>(child, { failureOf })
  }
  const processes = createWorkerPool({ max: workers, start, idleMs })

  const ask = (request: Request, stop: AbortSignal): Promise<Result> =>
    processes.use(async (parser) => {
      const onStop = () => void parser.end(stop.reason)
      const late = () => void parser.end(new ParseError('timeout', 'Parsing the file took too long.'))
      const timer = setTimeout(late, timeoutMs)
      stop.addEventListener('abort', onStop)
      try {
        const reply = await parser.call('parse', request)
        if ('result' in reply && !Array.isArray(reply.result)) await addRest(parser, reply.result, reply.more)
        // Leftovers of large files would count against the next one.
        if (reply.memory > memoryBytes / 2) void parser.end(failureOf({}))
        if ('result' in reply) return reply.result
        throw new ParseError(reply.reason, reply.detail)
      } finally {
        clearTimeout(timer)
        stop.removeEventListener('abort', onStop)
      }
    }, stop)

  return {
    formats: fileFormats,
    // A process answers each request with its own kind of result.
    parse: async (file, stop) => (await ask({ file }, stop)) as ParsedFile,
    pagePictures: async (file, pages, stop) => (await ask({ file, pages }, stop)) as (PagePicture | null)[],
    close: () => processes.close(new ParseError('internal', 'The service stops.')),
  }
}

/** The text in its parts is one string at the end. */
async function addRest(parser: WorkerHost<ParserCalls>, result: ParsedFile, hasMore: boolean): Promise<void> {
  const texts = [result.text ?? '']
  for (let more = hasMore; more; ) {
    const rest = await parser.call('rest', null)
    texts.push(rest.text)
    for (const unit of rest.units) result.units.push(unit)
    more = rest.more
  }
  if (result.text !== null) result.text = texts.join('')
}

/** V8 aborts when its heap is full. */
const failureOf = ({ signal }: Ending) =>
  signal === outOfMemorySignal || signal === 'SIGABRT' || signal === 'SIGTRAP'
    ? new ParseError('out_of_memory', 'Parsing the file needs too much memory.')
    : new ParseError('internal', 'The file could not be parsed.')
