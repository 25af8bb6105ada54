import { type ChildProcess, fork } from 'node:child_process'
import { ParseError } from '../../ports/parser.ts'
import { outOfMemorySignal, type Reply, type Request, type Result } from './messages.ts'

export interface ProcessLimits {
  memoryBytes: number
  timeoutMs: number
}

/** A process that parses one file at a time. */
export interface ParserProcess {
  /** Errors: ParseError; the reason of `stop`. After `timeout`, `out_of_memory` and a stop the process has ended. */
  ask(request: Request, stop: AbortSignal): Promise<Result>
  /** Whether it can take a further file. */
  readonly usable: boolean
  end(): Promise<void>
}

export function startProcess({ memoryBytes, timeoutMs }: ProcessLimits): ParserProcess {
  const child = fork(new URL('./process.ts', import.meta.url), [String(memoryBytes)], {
    execArgv: [`--max-old-space-size=${Math.ceil(memoryBytes / 2 ** 20)}`],
    // Nothing of the service's secrets.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let usable = true
  child.once('exit', () => {
    usable = false
  })
  // A process that cannot be started or reached exits, too; without a listener the error would be thrown.
  child.on('error', () => {
    usable = false
  })
  keepAlive(child, false)

  const ask = (request: Request, stop: AbortSignal) =>
    new Promise<Result>((resolve, reject) => {
      const kill = (reason: unknown) => {
        usable = false
        child.kill('SIGKILL')
        finish(() => reject(reason))
      }
      const onStop = () => kill(stop.reason)
      const timer = setTimeout(() => kill(new ParseError('timeout', 'Parsing the file took too long.')), timeoutMs)
      const onReply = (reply: Reply) => {
        // Leftovers of large files would count against the next one.
        if (reply.memory > memoryBytes / 2) void end()
        finish(() => ('result' in reply ? resolve(reply.result) : reject(new ParseError(reply.reason, reply.detail))))
      }
      const onExit = (_: number | null, signal: NodeJS.Signals | null) => finish(() => reject(failureOf(signal)))
      const onError = () => kill(new ParseError('internal', 'The file could not be parsed.'))
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        stop.removeEventListener('abort', onStop)
        child.off('message', onReply).off('exit', onExit).off('error', onError)
        keepAlive(child, false)
        settle()
      }
      keepAlive(child, true)
      stop.addEventListener('abort', onStop)
      child.on('message', onReply).on('exit', onExit).on('error', onError)
      child.send(request)
    })

  const end = async () => {
    usable = false
    // Someone waits for its end.
    child.ref()
    child.kill('SIGKILL')
    await ended
  }

  return {
    ask,
    get usable() {
      return usable
    },
    end,
  }
}

/** V8 aborts when its heap is full. */
const failureOf = (signal: NodeJS.Signals | null) =>
  signal === outOfMemorySignal || signal === 'SIGABRT' || signal === 'SIGTRAP'
    ? new ParseError('out_of_memory', 'Parsing the file needs too much memory.')
    : new ParseError('internal', 'The file could not be parsed.')

/** Only a process that parses keeps the service alive. */
function keepAlive(child: ChildProcess, busy: boolean): void {
  if (busy) child.ref()
  else child.unref()
  if (busy) child.channel?.ref()
  else child.channel?.unref()
}
