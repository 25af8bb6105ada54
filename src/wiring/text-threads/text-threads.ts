import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { createTextReader, passageIn } from '../../adapters/index-embedded/analysis/find-passage.ts'
import type { EmbedElsewhere } from '../../adapters/inference-builtin/builtin-inference.ts'
import { createWorkerPool, type Ending, WorkerHost } from '../../async/worker-host.ts'
import { primaryLanguage } from '../../model/language.ts'
import type { Passages } from '../../ports/indexes/passages.ts'
import type { TextCalls } from './messages.ts'

/** A shorter text is processed faster here than in a thread. UTF-16 units. */
const shortText = 4_096

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
  const ended = () => new Error('a text thread ended')
  const failureOf = ({ error }: Ending) => error ?? ended()
  const start = () => new WorkerHost<TextCalls>(new Worker(new URL('./thread.ts', import.meta.url)), { failureOf })
  const threads = createWorkerPool({ max, start })
  const call = <N extends keyof TextCalls>(name: N, ask: TextCalls[N]['ask']) =>
    threads.use((thread) => thread.call(name, ask))
  const read = createTextReader()

  return {
    embed: (text) => call('embed', { text }),
    passages: {
      find: async (query, unit, maxBytes) => {
        const text = unit.text ?? ''
        // Nothing to find, so the text need not be read.
        if (query.text.trim() === '' && (query.phrases ?? []).length === 0 && Buffer.byteLength(text) <= maxBytes)
          return { start: 0, end: text.length, highlights: [] }
        const language = primaryLanguage(unit.language)
        return query.text.length + text.length < shortText
          ? passageIn(read(unit, text, language), query, maxBytes)
          : call('passage', { query, text, maxBytes, language })
      },
    },
    close: () => threads.close(ended()),
  }
}
