import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { createTextReader, passageIn } from '../../adapters/index-embedded/analysis/find-passage.ts'
import type { EmbedElsewhere } from '../../adapters/inference-builtin/builtin-inference.ts'
import { primaryLanguage } from '../../model/language.ts'
import type { Passages } from '../../ports/indexes/passages.ts'
import type { CallName, Calls, Reply, Request } from './messages.ts'

/** A shorter text is processed faster here than in a thread. UTF-16 units. */
const shortText = 4_096

interface Pending {
  request: Request
  resolve(answer: unknown): void
  reject(error: unknown): void
}

export interface TextThreads {
  embed: EmbedElsewhere
  passages: Passages
  close(): Promise<void>
}

/**
 * Threads that embed and search long texts, started on first use. Each handles one text at a time. When a thread ends,
 * its current text fails, and the next text starts a new thread.
 */
export function createTextThreads(max = Math.max(1, Math.min(4, availableParallelism() - 1))): TextThreads {
  const idle: Worker[] = []
  const busy = new Map<Worker, Pending>()
  const waiting: Pending[] = []
  const read = createTextReader()
  let closing = false

  const start = (): Worker => {
    const worker = new Worker(new URL('./thread.ts', import.meta.url))
    let failure = new Error('a text thread ended')
    worker.on('message', (reply: Reply) => {
      const pending = busy.get(worker)
      busy.delete(worker)
      idle.push(worker)
      worker.unref()
      if ('error' in reply) pending?.reject(reply.error)
      else pending?.resolve(reply.answer)
      serveNext()
    })
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', () => {
      busy.get(worker)?.reject(failure)
      busy.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
      if (!closing) serveNext()
    })
    return worker
  }

  const serveNext = (): void => {
    const next = waiting[0]
    const worker = next && (idle.pop() ?? (busy.size < max ? start() : undefined))
    if (!next || !worker) return
    waiting.shift()
    busy.set(worker, next)
    // Only a busy thread keeps the process alive.
    worker.ref()
    worker.postMessage(next.request)
    serveNext()
  }

  const call = <N extends CallName>(name: N, ask: Calls[N]['ask']): Promise<Calls[N]['answer']> =>
    new Promise((resolve, reject) => {
      const request = { name, ask } as Request
      waiting.push({ request, resolve: (answer) => resolve(answer as Calls[N]['answer']), reject })
      serveNext()
    })

  return {
    embed: (text) => call('embed', { text }),
    passages: {
      find: async (query, unit, maxBytes) => {
        const text = unit.text ?? ''
        // Nothing to find, so the text need not be read.
        if (query.trim() === '' && Buffer.byteLength(text) <= maxBytes)
          return { start: 0, end: text.length, highlights: [] }
        const language = primaryLanguage(unit.language)
        return query.length + text.length < shortText
          ? passageIn(read(unit, text, language), query, maxBytes)
          : call('passage', { query, text, maxBytes, language })
      },
    },
    close: async () => {
      closing = true
      await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()))
    },
  }
}
