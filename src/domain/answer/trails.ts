import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Evidence } from './evidence.ts'
import { type NamedThing, namesIn } from './names.ts'
import type { SubQuestion } from './question.ts'
import { relatedTo } from './related-words.ts'
import { fits } from './relevance.ts'

/**
 * Passages that lead from a name of the question to its answer: each but the last has a sentence that names what the next
 * one is about.
 */
interface Trail {
  /** One of each passage, in order: those that lead on, then the one that tells most of what is left. */
  sentences: readonly Evidence[]
  /** The share of the words of the question, besides the name that it starts from, that they tell, 0..1. */
  told: number
  /** How many words of the question the sentences tell in the order of the question, less a price for each passage. */
  worth: number
}

/** A name that no passage is about, and the worth of a trail to it. */
export interface Lead {
  name: string
  /** The words of the question that are open on the way there, as they are written. */
  open: readonly string[]
  worth: number
}

/** What the last sentence is worth more with the kind of thing that the question asks for. */
const kindWorth = 0.5
/** What is lost for each sentence that stands before, as passages begin with what matters most. */
const later = 0.04
const maxLater = 0.2
/** What a further passage must tell, in words of the question. */
const price = 0.3
/** What a further passage is worth while a word is still open. */
const pull = 0.4
/** What is lost for following another sentence than the one that tells most, times the difference. */
const regret = 1
const maxLength = 5
const beamWidth = 30
/** The share of a name that must be the same as what a passage is about. */
const minSame = 0.6
/** A question with more names is a list. */
const maxNames = 6

interface Walk {
  sentences: readonly Evidence[]
  /** The passages on the way; the last one is where it stands. */
  passages: readonly number[]
  open: readonly number[]
  worth: number
}

interface Ground {
  part: SubQuestion
  tokens: readonly Token[]
  byPassage: ReadonlyMap<number, readonly Evidence[]>
  asked: ReadonlySet<string>
  /** The word of a sentence that tells of a term; null for none. */
  told(one: Evidence, term: string): string | null
  /** The passages that are about what has this name. */
  about(name: NamedThing): readonly number[]
}

interface Trails {
  trails: Trail[]
  leads: Lead[]
}

/** The trails from all names of the question over the passages, and the names to search next; best first. */
export function trailsOf(analysis: TextAnalysis, part: SubQuestion, pool: readonly Evidence[]): Trails {
  const names = namesIn(part.text, analysis.words(part.text)).slice(0, maxNames)
  const all = names.map((name) => trailsFrom(name, part, pool))
  return {
    trails: all.flatMap(({ trails }) => trails).toSorted(byWorth),
    leads: all.flatMap(({ leads }) => leads).toSorted(byWorth),
  }
}

/** The best trail if it takes at least two passages. */
export function bestTrail(...from: Parameters<typeof trailsOf>): Trail | null {
  const [best] = trailsOf(...from).trails
  return best && best.sentences.length > 1 ? best : null
}

const byWorth = (a: { worth: number }, b: { worth: number }) => b.worth - a.worth

function trailsFrom(name: NamedThing, part: SubQuestion, pool: readonly Evidence[]): Trails {
  const ground = groundOf(name, part, pool)
  let walks = startsOf(name, ground)
  const trails: Trail[] = []
  const leads = new Map<string, Lead>()
  for (let length = 1; length <= maxLength && walks.length > 0; length++) {
    const next: Walk[] = []
    for (const walk of walks) {
      trails.push(...ended(walk, ground))
      const found = steps(walk, ground)
      next.push(...found.walks)
      for (const lead of found.leads) {
        const known = leads.get(lead.name)
        if (!known || known.worth < lead.worth) leads.set(lead.name, lead)
      }
    }
    walks = next.toSorted(byWorth).slice(0, beamWidth)
  }
  return { trails, leads: [...leads.values()] }
}

function groundOf(name: NamedThing, part: SubQuestion, pool: readonly Evidence[]): Ground {
  const byPassage = Map.groupBy(pool, ({ passage }) => passage)
  const subjects = [...byPassage].map(([passage, [first]]) => ({ passage, subject: first?.subject.terms ?? new Set() }))
  const targets = new Map<string, number[]>()
  return {
    part,
    tokens: tokensAround(part, name),
    byPassage,
    asked: new Set(part.terms.map(({ term }) => term)),
    told: remembered(),
    about: ({ text, terms }) => {
      const known =
        targets.get(text) ??
        subjects.flatMap(({ passage, subject }) => (sameness(terms, subject) >= minSame ? [passage] : []))
      targets.set(text, known)
      return known
    },
  }
}

/** 0..1: how much of a name and of what a passage is about is the same. */
const sameness = (name: readonly string[], subject: ReadonlySet<string>): number =>
  name.filter((term) => subject.has(term)).length / Math.max(subject.size, name.length)

/** The passages that are about a name, or at least have it in a sentence. */
function startsOf(name: NamedThing, { byPassage, tokens, about }: Ground): Walk[] {
  const start = (passage: number, isAbout: boolean): Walk => ({
    sentences: [],
    passages: [passage],
    open: tokens.map((_, i) => i),
    worth: isAbout ? 1 : 0,
  })
  const subjects = about(name)
  if (subjects.length > 0) return subjects.map((passage) => start(passage, true))
  return [...byPassage].flatMap(([passage, sentences]) =>
    sentences.some((one) => name.terms.every((term) => one.terms.has(term))) ? [start(passage, false)] : [],
  )
}

/** The words of the question that a sentence tells of those that are open, and what that is worth now. */
function tells(one: Evidence, open: readonly number[], { tokens, told }: Ground) {
  const isOpen = new Set(open)
  const said = new Set<number>()
  const taken = new Set<string>()
  let worth = 0
  for (const [i, token] of tokens.entries()) {
    if (!isOpen.has(i)) continue
    // Each word of the sentence tells one word of the question: `the spouse of the person who married X` takes two.
    const by = told(one, token.term)
    if (by === null || taken.has(by)) continue
    taken.add(by)
    said.add(i)
    worth += token.weight
  }
  return { said, worth }
}

function steps(walk: Walk, ground: Ground): { walks: Walk[]; leads: Lead[] } {
  const at = walk.passages.at(-1) ?? -1
  const here = ground.byPassage.get(at) ?? []
  const rated = here.map((one) => ({ one, ...tells(one, walk.open, ground) }))
  const best = Math.max(0, ...rated.map(({ worth }) => worth))
  const walks: Walk[] = []
  const leads: Lead[] = []
  for (const [i, { one, said, worth: told }] of rated.entries()) {
    const open = walk.open.filter((i) => !said.has(i))
    const left = open.reduce((sum, i) => sum + (ground.tokens[i]?.weight ?? 0), 0)
    const worth =
      walk.worth + told - regret * (best - told) - price + pull * Math.min(1, left) - Math.min(maxLater, i * later)
    for (const name of one.names) {
      if (name.terms.every((term) => one.subject.terms.has(term) || ground.asked.has(term))) continue
      const targets = ground.about(name)
      for (const passage of targets) {
        if (walk.passages.includes(passage)) continue
        walks.push({
          ...walk,
          sentences: [...walk.sentences, one],
          passages: [...walk.passages, passage],
          open,
          worth,
        })
      }
      if (targets.length > 0) continue
      const words = open.map((at) => ground.tokens[at]?.written ?? '')
      leads.push({ name: name.text, open: words, worth })
    }
  }
  return { walks, leads }
}

/** The trails that end here, with the sentence that tells most of what is open. */
function ended(walk: Walk, ground: Ground): Trail[] {
  const at = walk.passages.at(-1) ?? -1
  const all = ground.tokens.reduce((sum, { weight }) => sum + weight, 0) || 1
  return (ground.byPassage.get(at) ?? []).map((one) => {
    const { said, worth } = tells(one, walk.open, ground)
    const left = walk.open.reduce((sum, i) => sum + (said.has(i) ? 0 : (ground.tokens[i]?.weight ?? 0)), 0)
    return {
      sentences: [...walk.sentences, one],
      told: 1 - left / all,
      worth: walk.worth + worth + (fits(ground.part, one) ? kindWorth : 0),
    }
  })
}

/** How sentences tell of terms, each computed once. */
function remembered(): Ground['told'] {
  const known = new Map<Evidence, Map<string, string | null>>()
  return (one, term) => {
    const of = known.get(one) ?? new Map<string, string | null>()
    known.set(one, of)
    const told = of.get(term)
    if (told !== undefined) return told
    const by = toldBy(one, term)
    of.set(term, by)
    return by
  }
}

/** The term itself, or another word for the same relation. */
function toldBy(one: Evidence, term: string): string | null {
  if (one.speaksOf(term)) return term
  return [...relatedTo(term)].find((other) => one.terms.has(other)) ?? null
}

/** A content word of a question besides the name that it starts from, each time that it occurs. */
interface Token {
  term: string
  written: string
  /** How much it says: less for words that only frame a question. */
  weight: number
}

/** The words of a question on both sides of one of its names, from the name outwards. */
function tokensAround({ terms, words, text }: SubQuestion, name: NamedThing): Token[] {
  const weights = new Map(terms.map(({ term, weight }) => [term, Math.min(1, weight)]))
  const others = words.filter(({ start }) => start < name.start || start >= name.end)
  const before = others.filter(({ start }) => start < name.start).toReversed()
  const after = others.filter(({ start }) => start >= name.end)
  return [...before, ...after].map(({ term, start, end }) => ({
    term,
    written: text.slice(start, end),
    weight: weights.get(term) ?? 1,
  }))
}
