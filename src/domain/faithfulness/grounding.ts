import { sentences } from '../text/sentences.ts'
import { addressesIn } from '../text/words.ts'
import { isAligned, type Wanted, wantedOf } from './alignment.ts'
import type { Reading } from './tokens.ts'
import { type Token, tokensOf } from './tokens.ts'
import { movablePrepositions, speechVerbs } from './word-classes.ts'

/**
 * Whether the evidence contains everything in the claim. True if the claim is a quote, or if one sentence of the
 * evidence, or two adjacent ones, say all of it in its order: each name, number with unit, address and meaningful word,
 * who does what to whom, and whether it is denied or only possible. False for a paraphrase in other words.
 */
export function isGrounded(claim: Reading, evidence: Reading): boolean {
  if (isQuote(claim.text, evidence.text)) return true
  const known = addressesIn(evidence.text)
  if (!addressesIn(claim.text).every((address) => known.includes(address))) return false
  const wanted = wantedOf(tokensOf(claim).map(withoutStop))
  const keys = new Set(wanted.flatMap(({ kind, key }) => (kind === 'preposition' ? [] : [key])))
  const parts = bySentence(evidence)
  return parts.some((part, i) => {
    const next = parts[i + 1]
    return [part, next ? [...part, ...next] : null].some(
      (stretch) => stretch !== null && holdsAll(stretch, keys) && says(stretch, wanted),
    )
  })
}

function says(stretch: readonly Token[], wanted: ReturnType<typeof wantedOf>): boolean {
  const agents = new Set(stretch.flatMap(({ key }, i) => (stretch[i + 1]?.word === 'by' ? [key] : [])))
  return rewritesOf(wanted, agents).some((words) => isAligned(words, stretch))
}

function holdsAll(stretch: readonly Token[], keys: ReadonlySet<string>): boolean {
  const held = new Set(stretch.map(({ key }) => key))
  return keys.size > 0 && keys.values().every((key) => held.has(key))
}

/** Full stops inside a claim are those of abbreviations: it is one sentence. */
const withoutStop = (token: Token): Token => (token.before === '.' ? { ...token, before: '' } : token)

/** The tokens of each sentence; `before` of the first one marks the start. */
function bySentence(evidence: Reading): Token[][] {
  const tokens = tokensOf(evidence)
  let at = 0
  return sentences(evidence.text).map(({ end }) => {
    const from = at
    while (at < tokens.length && (tokens[at]?.start ?? 0) < end) at += 1
    return tokens.slice(from, at).map((token, i) => (i === 0 ? { ...token, before: '.' } : withoutStop(token)))
  })
}

const opening = /(?:^|[\n.!?。！？؟।…])["'”’)\]]*\s*["'“‘(]*$/u
const closing = /^(?:["'”’)\]]*\s*$|["'”’)\]]*\s*\n|[.!?。！？؟।…])/u
const closed = /[.!?。！？؟।…]["'”’)\]]*$/u

/** Whether the claim is whole sentences, or lines, of the evidence, word for word. */
function isQuote(claim: string, evidence: string): boolean {
  const quote = claim.trim()
  if (quote === '') return false
  for (let at = evidence.indexOf(quote); at !== -1; at = evidence.indexOf(quote, at + 1)) {
    const end = at + quote.length
    const ends = closed.test(quote) || closing.test(evidence.slice(end, end + 40))
    if (ends && opening.test(evidence.slice(Math.max(0, at - 12), at))) return true
  }
  return false
}

const maxRewrites = 32
const maxLead = 5

/**
 * The claim and its equivalents in another order: active for passive, a phrase of time or place at the other end of its
 * clause, the speaker before or after the quoted words. `agents`: keys of verbs with `by` someone in the evidence.
 */
function rewritesOf(claim: readonly Wanted[], agents: ReadonlySet<string>): (readonly Wanted[])[] {
  const voices = [claim, ...toActive(claim), ...toPassive(claim, agents)]
  const moved = voices.flatMap((words) => [words, ...movedSpeaker(words), ...movedPhrases(words)])
  return moved.slice(0, maxRewrites)
}

/** `B was sold by A in May` -> `A sold B in May`. */
function toActive(words: readonly Wanted[]): Wanted[][] {
  const verb = words.findIndex(({ passive }, i) => passive && words[i + 1]?.word === 'by')
  const done = words[verb]
  if (!done || verb === 0) return []
  const rest = phraseEnd(words, verb + 2)
  return [
    [
      ...opened(words.slice(verb + 2, rest)),
      { ...done, passive: false },
      ...opened(words.slice(0, verb)),
      ...words.slice(rest),
    ],
  ]
}

/** `A sold B in May` -> `B sold by A in May`, where the evidence says `sold by`. */
function toPassive(words: readonly Wanted[], agents: ReadonlySet<string>): Wanted[][] {
  return words.flatMap((done, verb) => {
    if (verb === 0 || done.passive || !agents.has(done.key)) return []
    const rest = phraseEnd(words, verb + 1)
    const by: Wanted = {
      ...done,
      word: 'by',
      key: 'by',
      stem: 'by',
      kind: 'preposition',
      joined: null,
      determined: false,
    }
    const object = opened(words.slice(verb + 1, rest))
    if (object.length === 0) return []
    return [
      [...object, { ...done, passive: true, joined: null }, by, ...opened(words.slice(0, verb)), ...words.slice(rest)],
    ]
  })
}

/** `X said that Y` <-> `Y, said X` and `Y, X said`. */
function movedSpeaker(words: readonly Wanted[]): Wanted[][] {
  const at = words.findIndex(({ word }) => speechVerbs.has(word))
  const verb = words[at]
  if (!verb) return []
  const comma = words.findLastIndex(({ joined }, i) => joined !== null && i <= at)
  const behind = comma > 0 && (comma === at || at === words.length - 1)
  const speaker = behind ? [...words.slice(comma, at), ...words.slice(at + 1)] : words.slice(0, at)
  const speech = behind ? words.slice(0, comma) : words.slice(at + 1)
  if (speaker.length === 0 || speech.length === 0) return []
  const said = { ...verb, joined: null }
  return [
    [...opened(speaker), said, ...opened(speech)],
    [...opened(speech), { ...verb, joined: 'comma' }, ...opened(speaker)],
    [...opened(speech), ...opened(speaker, 'comma'), said],
  ]
}

/** `In May revenue rose` <-> `revenue rose in May`, and two such phrases in reverse order. */
function movedPhrases(words: readonly Wanted[]): Wanted[][] {
  const found: Wanted[][] = []
  const starts = words.flatMap(({ word }, i) => (movablePrepositions.has(word) ? [i] : []))
  if (starts[0] === 0) {
    for (let end = 2; end <= Math.min(maxLead, words.length - 1); end++) {
      found.push([...opened(words.slice(end)), ...opened(words.slice(0, end))])
    }
  }
  const last = starts.at(-1) ?? 0
  if (last > 0) found.push([...opened(words.slice(last)), ...opened(words.slice(0, last), 'comma')])
  const before = starts.at(-2) ?? 0
  if (before > 0)
    found.push([...words.slice(0, before), ...opened(words.slice(last)), ...opened(words.slice(before, last))])
  return found
}

function phraseEnd(words: readonly Wanted[], from: number): number {
  const end = words.findIndex(({ kind, joined }, i) => i > from && (kind === 'preposition' || joined !== null))
  return end === -1 ? words.length : end
}

/** The first word is no longer after its conjunction or mark. */
const opened = (words: readonly Wanted[], joined: Wanted['joined'] = null): Wanted[] =>
  words.map((word, i) => (i === 0 ? { ...word, joined } : word))
