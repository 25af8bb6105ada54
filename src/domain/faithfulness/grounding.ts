import { addressesIn } from '../text/addresses.ts'
import { sentences } from '../text/sentences.ts'
import { isAligned, wantedOf } from './alignment.ts'
import type { Reading } from './reading.ts'
import { rewritesOf } from './rewrites.ts'
import { type Token, tokensOf } from './tokens.ts'

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
