import type { AnswerWriter, Passage, Statement } from '../../ports/answer-writer.ts'
import type { Entailment } from '../../ports/entailment.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Checked, check } from './check.ts'
import { withoutStrayLinks } from './links.ts'
import type { HitPassage } from './passages.ts'
import { bySentence } from './sentence-statements.ts'

interface Written {
  statements: Statement[]
  /** What was left out without a judge. */
  removed: number
  /** Who wrote them. */
  model: string
  /** The configured writer did not. */
  failed: boolean
}

interface Judged {
  kept: Checked[]
  removed: number
  method: string
  failed: boolean
}

/** An answer of single sentences, by the stand-in where the writer fails. Where both do, it is empty. */
export async function write(
  { writer, standIns, log }: Pick<Bindings, 'writer' | 'standIns' | 'log'>,
  question: string,
  passages: readonly Passage[],
  signal: AbortSignal,
): Promise<Written> {
  const by = async (writing: AnswerWriter, failed: boolean): Promise<Written> => {
    const written = passages.length === 0 ? [] : await writing.write(question, passages, signal)
    const kept = withoutStrayLinks(written, passages)
    return { statements: bySentence(kept), removed: written.length - kept.length, model: writing.model, failed }
  }
  try {
    return await by(writer, false)
  } catch (error) {
    log.warn({ err: error, model: writer.model }, 'no answer could be written')
    const none = { statements: [], removed: 0, model: writer.model, failed: true }
    return standIns.writer ? by(standIns.writer, true) : none
  }
}

/** What stands of the statements, by the stand-in where the judge fails. Where both do, nothing does. */
export async function judge(
  { entailment, standIns, log }: Pick<Bindings, 'entailment' | 'standIns' | 'log'>,
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
    return standIns.entailment ? by(standIns.entailment, true) : none
  }
}
