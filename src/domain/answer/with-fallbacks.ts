import type { AnswerWriter, Passage, Statement } from '../../ports/models/answer-writer.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Checked, check } from './check.ts'
import { withoutStrayLinks } from './links.ts'
import type { HitPassage } from './passages.ts'
import { bySentence } from './sentence-statements.ts'

/** Nobody reads a longer answer, and each of them is compared with its passages. */
const maxStatements = 50

interface Written {
  statements: Statement[]
  /** Statements that were removed before a judge saw them. */
  removed: number
  model: string
  /** The configured writer failed. */
  failed: boolean
}

interface Judged {
  kept: Checked[]
  removed: number
  method: string
  failed: boolean
}

/** Writes an answer in single sentences. If the writer fails, the fallback writes; if both fail, it is empty. */
export async function write(
  { writer, fallbacks, log }: Pick<Bindings, 'writer' | 'fallbacks' | 'log'>,
  question: string,
  passages: readonly Passage[],
  signal: AbortSignal,
  minConfidence?: number,
): Promise<Written> {
  const by = async (writing: AnswerWriter, failed: boolean): Promise<Written> => {
    const written = passages.length === 0 ? [] : await writing.write(question, passages, signal, minConfidence)
    const kept = withoutStrayLinks(written, passages)
    const single = bySentence(kept)
    const statements = single.slice(0, maxStatements)
    const removed = written.length - kept.length + single.length - statements.length
    return { statements, removed, model: writing.model, failed }
  }
  try {
    return await by(writer, false)
  } catch (error) {
    log.warn({ err: error, model: writer.model }, 'no answer could be written')
    const none = { statements: [], removed: 0, model: writer.model, failed: true }
    return fallbacks.writer ? by(fallbacks.writer, true) : none
  }
}

/** Keeps the supported statements. If the judge fails, the fallback judges; if both fail, none is kept. */
export async function judge(
  { entailment, fallbacks, log }: Pick<Bindings, 'entailment' | 'fallbacks' | 'log'>,
  statements: readonly Statement[],
  passages: readonly HitPassage[],
  signal: AbortSignal,
): Promise<Judged> {
  const by = async (judging: Entailment, failed: boolean): Promise<Judged> => {
    const bounded: Entailment = { ...judging, score: (pairs) => judging.score(pairs, signal) }
    return { ...(await check(bounded, statements, passages)), method: judging.method, failed }
  }
  try {
    return await by(entailment, false)
  } catch (error) {
    log.warn({ err: error, method: entailment.method }, 'an answer could not be judged')
    const none = { kept: [], removed: statements.length, method: entailment.method, failed: true }
    return fallbacks.entailment ? by(fallbacks.entailment, true) : none
  }
}
