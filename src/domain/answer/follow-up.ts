import type { Turn } from '../../model/search.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { namesIn } from './names.ts'

/** `And in Oslo?`, `What about the ferries?`: the rest of the question stands in the one before. */
const ellipsis =
  /^(?:(?:and|but|so)\s+)?(?:what|how) about\s+(.+)$|^(?:and|or|und|et|y)\s+((?:(?:in|on|at|for|of|by|with|from)\s+)?.+)$/iu
const asksItself =
  /\b(?:who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|has|have|had|can|will)\b/iu
const persons = /\b(?:he|she|him|hers?|his)\b/giu
const things = /\b(?:it|its|they|them|theirs?|there|this one|that one)\b/giu
const possessive = /^(?:his|hers?|its|theirs?)$/iu
const markers = /\s*\[\d+\]/gu
const mark = /[\s?？!.]+$/u

/**
 * A question as it is meant after others, by rules: a pronoun becomes the name that it stands for, and a question that
 * leaves out its verb takes it from the one before. A question that says everything itself stays as it is. Answers of
 * earlier turns only lend names: they are never searched as texts, and never evidence.
 */
export function inContext(analysis: TextAnalysis, question: string, history: readonly Turn[]): string {
  const last = history.at(-1)
  if (!last) return question
  const match = ellipsis.exec(question.trim().replace(mark, ''))
  const rest = match?.[1] ?? match?.[2]
  if (rest !== undefined && !asksItself.test(rest)) return continued(analysis, last, rest)
  const own = namesOf(analysis, question)
  const turns = history.toReversed()
  const full = ({ q, answer }: Turn) =>
    [...namesOf(analysis, plain(answer)), ...namesOf(analysis, q)].find(({ terms }) => terms.length > 1)
  // A single word with a capital may only begin an answer.
  const person = firstOf(turns, full) ?? firstOf(turns, ({ q }) => namesOf(analysis, q)[0])
  const thing = firstOf(turns, ({ q, answer }) => namesOf(analysis, q).at(-1) ?? namesOf(analysis, plain(answer))[0])
  return replaced(replaced(question, persons, own.length > 0 ? null : person), things, own.length > 0 ? null : thing)
}

const plain = (answer: string) => answer.replace(markers, '')

const namesOf = (analysis: TextAnalysis, text: string) => namesIn(text, analysis.words(text))

function firstOf(turns: readonly Turn[], find: (turn: Turn) => { text: string } | undefined): string | null {
  for (const turn of turns) {
    const found = find(turn)
    if (found) return found.text
  }
  return null
}

/** The question before, with its last name replaced; without names on both sides, with the rest after it. */
function continued(analysis: TextAnalysis, { q }: Turn, rest: string): string {
  const [name] = namesOf(analysis, rest)
  const before = namesOf(analysis, q).at(-1)
  if (name && before) return `${q.slice(0, before.start)}${name.text}${q.slice(before.end)}`
  return `${q.replace(mark, '')} ${rest}?`
}

const replaced = (question: string, pronouns: RegExp, name: string | null): string =>
  name === null
    ? question
    : question.replace(pronouns, (pronoun, at: number) => {
        const isOwner = possessive.test(pronoun) && /^\s+\p{L}/u.test(question.slice(at + pronoun.length))
        return isOwner ? `${name}'s` : name
      })
