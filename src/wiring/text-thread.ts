import { findPassage } from '../adapters/index-embedded/analysis/find-passage.ts'
import { builtinModel } from '../adapters/inference-builtin/builtin-inference.ts'
import { embedText } from '../adapters/inference-builtin/embed-text.ts'
import { answerCalls } from '../async/calls.ts'
import type { TextCalls } from './models.ts'

// A thread for work on long texts, so that the main thread can continue to serve requests.

answerCalls<TextCalls>({
  embed: ({ text }) => embedText(text, builtinModel.dims),
  passage: ({ query, text, maxBytes, language }) => findPassage(query, text, maxBytes, language),
})
