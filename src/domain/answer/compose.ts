import { createHash } from 'node:crypto'
import type { AnswerSentence, Citation } from '../../model/answer.ts'
import type { Source } from '../../ports/models/answer-writer.ts'
import { mapInSlices } from '../../slices/slices.ts'
import type { Checked } from './check.ts'
import type { HitPassage } from './passages.ts'

/** Text that could be mistaken for a marker: only numbers in brackets, in any script, with any separators. */
const bracketed = /\[([\s\p{Cf}\p{Pd},;.:]*\p{N}[\s\p{Cf}\p{N}\p{Pd},;.:]*)\]/gu

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** `see [3]` becomes `see \[3\]`: only the answer's own markers are `[n]`. */
const escapeMarkers = (text: string) => text.replace(bracketed, '\\[$1\\]')

/** Joins the statements on one line, each followed by its markers; one citation for each piece of text. */
export async function compose(statements: readonly Checked[], passages: readonly HitPassage[]) {
  const cited = new Set(
    statements.flatMap(({ sources }) => sources.map(({ passage }) => passages[passage]?.hit.text ?? '')),
  )
  // A text may be a megabyte long.
  const hashes = new Map(await mapInSlices([...cited], (text) => [text, sha256(text)] as const))
  const citations = new Map<string, Citation>()
  const cite = (source: Source): Citation => {
    const passage = passages[source.passage]
    if (!passage) throw new Error('a source was not checked')
    const start = passage.offset + source.start
    const end = start + source.quote.length
    const { unitId, text, locator, sourceUri } = passage.hit
    if (text?.slice(start, end) !== source.quote) throw new Error('a quote is not in its Unit')
    const key = `${unitId} ${start} ${end}`
    const known = citations.get(key)
    if (known) return known
    const marker = citations.size + 1
    const hash = hashes.get(text) ?? sha256(text)
    const citation = { marker, unitId, quote: source.quote, start, end, sha256: hash, locator, sourceUri }
    citations.set(key, citation)
    return citation
  }
  const sentences = statements.map(({ text, sources, faithfulness }, index): AnswerSentence => {
    const cited = [...new Set(sources.map(cite))]
    const markers = cited.map(({ marker }) => `[${marker}]`).join('')
    return {
      index,
      text: `${escapeMarkers(text.trim().replace(/\s+/gu, ' '))} ${markers}`,
      citations: cited,
      faithfulness,
    }
  })
  return { text: sentences.map(({ text }) => text).join(' '), sentences, citations: [...citations.values()] }
}
