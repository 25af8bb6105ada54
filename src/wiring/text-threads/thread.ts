import { parentPort } from 'node:worker_threads'
import { findPassage } from '../../adapters/index-embedded/analysis/find-passage.ts'
import { builtinModel } from '../../adapters/inference-builtin/builtin-inference.ts'
import { embedText } from '../../adapters/inference-builtin/embed-text.ts'
import type { CallName, Calls, Reply, Request } from './messages.ts'

// A thread for work on long texts, so that the main thread can continue to serve requests.

const handlers: { [N in CallName]: (ask: Calls[N]['ask']) => Calls[N]['answer'] } = {
  embed: ({ text }) => embedText(text, builtinModel.dims),
  passage: ({ query, text, maxBytes, language }) => findPassage(query, text, maxBytes, language),
}

const run = <N extends CallName>(name: N, ask: Calls[N]['ask']) => handlers[name](ask)

function answer({ name, ask }: Request): Reply {
  try {
    return { answer: run(name, ask) }
  } catch (error) {
    return { error }
  }
}

parentPort?.on('message', (request: Request) => parentPort?.postMessage(answer(request)))
