import type { Token } from './tokens.ts'
import {
  articles,
  beForms,
  changesScope,
  isSoftAdverb,
  joints,
  personalPronouns,
  relativePronouns,
  speechVerbs,
  subjectPronouns,
} from './word-classes.ts'

export type Joint = 'and' | 'comma' | null

/** Two adjacent words of the claim, their positions in the evidence, and whether `and` or a comma joins them. */
export interface Step {
  from: number
  to: number
  joined: Joint
  /** Whether the claim has a determiner directly before the second word. */
  determined: boolean
  /** Whether the claim begins at the start of a clause of the evidence: nothing important is left out before it. */
  fromStart: boolean
}

const maxPhrase = 8
const maxModifiers = 3

/**
 * Whether the claim may leave out what the evidence says between two of its words. Allowed are only articles and
 * auxiliaries, an adverb, modifiers of a noun, a phrase with a preposition, text between commas, and the first of two
 * joined parts. Any other missing word could change who does what.
 */
export function mayLeaveOut(evidence: readonly Token[], step: Step): boolean {
  const { from, to, joined } = step
  const [first, last] = [evidence[from], evidence[to]]
  if (!first || !last || to <= from) return false
  const gap = evidence.slice(from + 1, to)
  const marks = [...gap, last].map(({ before }) => before)
  if (marks.includes('.')) return continuesInNextSentence(gap, last, step)
  if (gap.some(({ word, stem }) => changesScope(word, stem))) return false
  // A new clause of the claim that is also a clause of the evidence.
  if (joined !== null && startsClause(evidence, to)) return true
  const parenthesis = marks.lastIndexOf(',')
  if (marks[0] === ',' && parenthesis > 0) return isDroppable(first, gap.slice(parenthesis), last, step)
  return isDroppable(first, gap, last, step)
}

function isDroppable(first: Token, gap: readonly Token[], last: Token, step: Step): boolean {
  const dropped = gap.filter(({ kind, word }) => kind !== 'light' && !isSoftAdverb(word))
  const joint = gap.findLastIndex(({ kind }) => kind === 'joint')
  if (dropped.length === 0) return step.joined !== 'and' || gap[0]?.before === ',' || last.before === ','
  if (first.possessive && dropped[0] === gap[0]) return false
  if (joint !== -1) {
    const afterJoint = gap.slice(joint + 1)
    return (
      step.fromStart &&
      (step.joined === null) === dropped.length > 1 &&
      afterJoint.every(({ kind }) => kind === 'light')
    )
  }
  if (step.joined === 'and') return false
  // `the pump, which failed, …`: the claim says it of the same subject.
  if (dropped.length === 1 && dropped[0] === gap[0] && subjectPronouns.has(dropped[0]?.word ?? '')) return true
  if (gap.slice(1).some(({ before }) => before === ',') || last.before === ',' || gap[0]?.before === ',') return false
  return isPhrase(gap, last, step) || areModifiers(first, gap, step) || isName(first, gap)
}

/** `… on Monday. It was replaced`: the next sentence has the same subject, or the claim joins the two. */
function continuesInNextSentence(gap: readonly Token[], last: Token, step: Step): boolean {
  const joined = step.joined !== null
  const at = gap.findLastIndex(({ before }) => before === '.')
  if (at === -1) return joined && last.before === '.'
  if (last.before === '.') return joined
  const opening = gap.slice(at)
  const pronoun = opening[0] !== undefined && personalPronouns.has(opening[0].word)
  if (gap.slice(0, at).some(({ kind }) => kind === 'content') && !joined) {
    return pronoun && opening.slice(1).every(({ kind }) => kind === 'light')
  }
  return (pronoun || joined) && opening.slice(pronoun ? 1 : 0).every(({ kind }) => kind === 'light')
}

/** One or more phrases with a preposition: `the president [of France] visited`. */
function isPhrase(gap: readonly Token[], last: Token, { determined }: Step): boolean {
  const [head] = gap.filter(({ kind, word }) => kind !== 'light' && !isSoftAdverb(word))
  if (head?.kind !== 'preposition' || gap.length > maxPhrase) return false
  if (gap.some(({ word }) => relativePronouns.has(word) || speechVerbs.has(word))) return false
  if (last.kind === 'preposition') return true
  // Words that open a phrase with a noun would attach to the preposition that is left out.
  const behind = gap.slice(gap.findLastIndex(({ kind }) => kind === 'preposition') + 1)
  return !determined && behind.some(({ kind }) => kind === 'content' || kind === 'number')
}

/** `the [small grey] cat`, `a [badly damaged] ship`. */
function areModifiers(first: Token, gap: readonly Token[], { determined }: Step): boolean {
  const isOpened = first.kind === 'preposition' || gap.some(({ word }) => beForms.has(word))
  const opens = isOpened || (determined && articles.has(gap[0]?.word ?? ''))
  const content = gap.filter(({ kind }) => kind === 'content' || kind === 'number')
  return (
    opens &&
    content.length <= maxModifiers &&
    gap.every(
      ({ kind, word }) =>
        (kind === 'light' || kind === 'content') && !relativePronouns.has(word) && !speechVerbs.has(word),
    ) &&
    gap.slice(gap.findIndex(({ kind }) => kind === 'content')).every(({ kind }) => kind === 'content')
  )
}

/** `the ferry [Dunlin] left`. */
const isName = (first: Token, gap: readonly Token[]) =>
  !first.capital && gap.length <= maxModifiers && gap.every(({ capital, kind }) => capital && kind === 'content')

/** Whether a clause of the evidence starts here: after a mark or a conjunction, with only articles before it. */
export function startsClause(evidence: readonly Token[], at: number): boolean {
  for (let i = at; i >= 0; i--) {
    const token = evidence[i]
    if (!token) return true
    if (i < at && joints.has(token.word)) return true
    if (i < at && token.kind !== 'light' && !isSoftAdverb(token.word)) return false
    if (token.before !== '') return true
  }
  return true
}
