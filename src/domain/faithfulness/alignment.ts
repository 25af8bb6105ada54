import type { Token } from './tokens.ts'
import {
  articles,
  beForms,
  changesScope,
  determiners,
  irregularBase,
  isSoftAdverb,
  joints,
  limitsBefore,
  limitsBehind,
  personalPronouns,
  relativePronouns,
  speechVerbs,
  subjectPronouns,
} from './word-classes.ts'

/** A word of the claim that the evidence must contain, with the parts of its context that must match too. */
export interface Wanted extends Token {
  /** What joins it to the previous word in the claim. */
  joined: Joint
  determined: boolean
  passive: boolean
  /** In progress: `is selling`, `is being sold`. */
  progressive: boolean
}

const ing = /ings?$/u
/** How many places in the evidence are tried for a word of the claim. */
const maxPlaces = 12

/** The words of a claim that its evidence must contain, in order. */
export function wantedOf(claim: readonly Token[]): Wanted[] {
  const wanted: Wanted[] = []
  let joined: Joint = null
  let determined = false
  for (const [i, token] of claim.entries()) {
    if (token.before !== '' && wanted.length > 0) joined ??= 'comma'
    if (token.kind === 'joint') joined = 'and'
    else if (token.kind === 'light') determined = determined || determiners.has(token.word)
    else {
      wanted.push({ ...token, joined, determined, passive: isPassive(claim, i), progressive: isProgressive(claim, i) })
      joined = null
      determined = false
    }
  }
  return wanted
}

/** Whether the evidence says all words in this order, and omits nothing between them that changes the meaning. */
export function isAligned(wanted: readonly Wanted[], evidence: readonly Token[]): boolean {
  if (wanted.length === 0) return false
  const places = wanted.map((want) =>
    evidence.flatMap((token, at) => (token.kind !== 'light' && token.key === want.key ? [at] : [])).slice(0, maxPlaces),
  )
  if (places.some((found) => found.length === 0)) return false
  return (places[0] ?? []).some((start) => {
    const [first] = wanted
    if (!first || !mayStart(evidence, start) || !agrees(first, evidence, start)) return false
    const fromStart = startsClause(evidence, start)
    let reached = [start]
    for (const [i, want] of wanted.entries()) {
      if (i === 0) continue
      const { joined, determined } = want
      reached = (places[i] ?? []).filter(
        (to) =>
          agrees(want, evidence, to) &&
          reached.some(
            (from) =>
              governs(wanted[i - 1], want, evidence, from, to) &&
              mayLeaveOut(evidence, { from, to, joined, determined, fromStart }),
          ),
      )
    }
    return reached.some((end) => mayEnd(evidence, end))
  })
}

/** The same voice, and both or neither in progress. */
function agrees(want: Wanted, evidence: readonly Token[], at: number): boolean {
  const token = evidence[at]
  if (token?.kind !== 'content') return token !== undefined
  return want.progressive === isProgressive(evidence, at) && want.passive === isPassive(evidence, at)
}

const isPassive = (tokens: readonly Token[], at: number) => !ing.test(tokens[at]?.word ?? '') && followsBe(tokens, at)

const isProgressive = (tokens: readonly Token[], at: number) =>
  ing.test(tokens[at]?.word ?? '') || (isPassive(tokens, at) && tokens[at - 1]?.word === 'being')

/** Whether a form of `be` is directly before it, ignoring adverbs. */
function followsBe(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const word = tokens[i]?.word ?? ''
    if (beForms.has(word)) return true
    if (!isSoftAdverb(word) && word !== 'not') return false
  }
  return false
}

/** A preposition directly before a word belongs to it: both must have the same one, or none. */
function governs(
  before: Wanted | undefined,
  want: Wanted,
  evidence: readonly Token[],
  from: number,
  to: number,
): boolean {
  if (want.kind === 'preposition') return true
  const gap = evidence.slice(from + 1, to)
  const governed = gap.findLast(({ kind }) => kind !== 'light')?.kind === 'preposition'
  if (before?.kind === 'preposition') return !gap.some(({ kind }) => kind === 'preposition')
  return !governed
}

/** The text before the claim in its sentence must not negate it, limit it, or make it an object. */
function mayStart(evidence: readonly Token[], start: number): boolean {
  if (startsClause(evidence, start) && !opensWithCondition(evidence, start)) return true
  for (let i = start - 1; i >= 0; i--) {
    const token = evidence[i]
    if (!token) break
    if (changesScope(token.word, token.stem)) return false
    if ((evidence[i + 1]?.before ?? '') === '.') break
  }
  return opensNoun(evidence, start)
}

function opensWithCondition(evidence: readonly Token[], start: number): boolean {
  let isOwnClause = (evidence[start]?.before ?? '') === ''
  for (let i = start - 1; i >= 0 && evidence[i + 1]?.before !== '.'; i--) {
    const token = evidence[i]
    if (!token) break
    if (limitsBefore.has(token.word) || (isOwnClause && changesScope(token.word, token.stem))) return true
    if (token.before === ',' || (joints.has(token.word) && isOwnClause)) isOwnClause = false
    // `…, and the valve was replaced` is a clause of its own.
    if (joints.has(token.word) && token.before !== '') return false
  }
  return false
}

/** Allows modifiers that may be left out, after an article at a clause's start; or a speaker and `that`. */
function opensNoun(evidence: readonly Token[], start: number): boolean {
  let modifiers = 0
  for (let i = start - 1; i >= 0; i--) {
    const token = evidence[i]
    if (!token) return false
    if (speechVerbs.has(token.word) || token.word === 'that') return true
    if (determiners.has(token.word)) return startsClause(evidence, i) || behindSpeech(evidence, i)
    if (token.kind !== 'content' || relativePronouns.has(token.word) || ++modifiers > 3) return false
    if (token.before === '.' || i === 0) return !evidence.slice(i, start).some(isVerbLike)
  }
  return false
}

const isVerbLike = ({ word }: Token) => /(?:ed|[^s]s|ing)$/u.test(word) || irregularBase(word) !== null

function behindSpeech(evidence: readonly Token[], at: number): boolean {
  const word = evidence[at - 1]?.word ?? ''
  return word === 'that' || speechVerbs.has(word)
}

/** The text after it in the sentence must not be a condition, or a noun that the last word only modifies. */
function mayEnd(evidence: readonly Token[], end: number): boolean {
  const next = evidence[end + 1]
  if (!next || next.before === '.') return true
  for (let i = end + 1; i < evidence.length && evidence[i]?.before !== '.'; i++) {
    if (limitsBehind.has(evidence[i]?.word ?? '')) return false
  }
  return (
    next.before === ',' ||
    next.kind !== 'content' ||
    isSoftAdverb(next.word) ||
    relativePronouns.has(next.word) ||
    ing.test(next.word)
  )
}

type Joint = 'and' | 'comma' | null

/** Two adjacent words of the claim, their positions in the evidence, and whether `and` or a comma joins them. */
interface Step {
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
function mayLeaveOut(evidence: readonly Token[], step: Step): boolean {
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
function startsClause(evidence: readonly Token[], at: number): boolean {
  for (let i = at; i >= 0; i--) {
    const token = evidence[i]
    if (!token) return true
    if (i < at && joints.has(token.word)) return true
    if (i < at && token.kind !== 'light' && !isSoftAdverb(token.word)) return false
    if (token.before !== '') return true
  }
  return true
}
