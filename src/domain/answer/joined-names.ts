import type { Word } from '../../ports/indexes/text-analysis.ts'
import { type NamedThing, namesIn } from './names.ts'

/** `and`, `or` and the like between two names: what is compared or asked of both. */
const joint = /^\s*(?:,|(?:,\s*)?(?:and|or|vs\.?|versus|than|with|und|oder|et|ou|y|o|e)\b)[^?.!]{0,20}$/iu

/** The names that the question joins or compares, if there are at least two. */
export function joinedNames(question: string, words: readonly Word[]): NamedThing[] {
  const names = namesIn(question, words).flatMap((name) => atJoints(name, question, words))
  const joined = new Set<NamedThing>()
  for (const [i, name] of names.entries()) {
    const before = names[i - 1]
    if (before && joint.test(question.slice(before.end, name.start))) joined.add(before).add(name)
  }
  return [...joined]
}

/** The parts of a name at its first `and`: `Ed Roland and Adam Duritz` is two names in a question. */
export function atJoints(name: NamedThing, question: string, words: readonly Word[]): NamedThing[] {
  const within = words.filter(({ start, end }) => start >= name.start && end <= name.end)
  const at = within.findIndex(({ word }) => /^(?:and|or|und|oder|et|ou|y|o|e)$/u.test(word))
  const [left, right] = [within.slice(0, at), within.slice(at + 1)]
  if (at < 0 || left.length === 0 || right.length === 0) return [name]
  return [left, right].flatMap((part) => namesIn(question, part))
}
