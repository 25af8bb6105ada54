import { Tokenizer } from '@huggingface/tokenizers'

/** The content of a tokenizer.json, as far as it is read here. */
interface TokenizerFile {
  model: { type?: string; vocab?: unknown; unk_id?: number }
}

type Pieces = readonly (readonly [piece: string, score: number])[]

/**
 * The library's tokenizer. Its unigram model keeps a trie, which takes 200 MB for the 250,000 pieces of XLM-RoBERTa and
 * three seconds to build. Here the pieces are in the map that it has anyway.
 */
export function createTokenizer(file: TokenizerFile, config: object): Tokenizer {
  const { type, vocab, unk_id: unknown } = file.model
  if (type !== 'Unigram' || unknown === undefined) return new Tokenizer(file, config)
  const pieces = vocab as Pieces
  const model = { ...file.model, vocab: pieces.slice(unknown, unknown + 1), unk_id: 0 }
  const tokenizer = new Tokenizer({ ...file, model }, config)
  if (tokenizer.model === null) throw new Error('the tokenizer has no model')
  const split = unigram(pieces, unknown)
  tokenizer.model.tokens_to_ids = split.ids
  tokenizer.model.unk_token_id = unknown
  tokenizer.model.encode = (texts: readonly string[]) => texts.flatMap(split.piecesOf)
  return tokenizer
}

/** The most probable pieces of a text (Kudo 2018, https://arxiv.org/abs/1804.10959), by the algorithm of Viterbi. */
function unigram(vocab: Pieces, unknown: number) {
  const ids = new Map(vocab.map(([piece], id) => [piece, id]))
  const scores = Float64Array.from(vocab, ([, score]) => score)
  // As SentencePiece has it: a character that is not a piece costs more than any piece.
  const unknownScore = scores.reduce((a, b) => Math.min(a, b)) - 10
  scores[unknown] = unknownScore
  const longest = vocab.reduce((max, [piece]) => Math.max(max, piece.length), 0)

  const piecesOf = (text: string): string[] => {
    const best = new Float64Array(text.length + 1).fill(Number.NEGATIVE_INFINITY)
    const from = new Int32Array(text.length + 1)
    best[0] = 0
    for (let start = 0; start < text.length; start += 1) {
      const before = best[start] ?? 0
      // Inside of a surrogate pair.
      if (before === Number.NEGATIVE_INFINITY) continue
      const next = start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
      const last = Math.min(text.length, start + longest)
      for (let end = next; end <= Math.max(last, next); end += 1) {
        const id = ids.get(text.slice(start, end))
        const score = id === undefined ? null : scores[id]
        const found = before + (score ?? (end === next ? unknownScore : Number.NEGATIVE_INFINITY))
        if (found > (best[end] ?? 0)) {
          best[end] = found
          from[end] = start
        }
      }
    }
    const pieces: string[] = []
    for (let end = text.length; end > 0; end = from[end] ?? 0) pieces.push(text.slice(from[end], end))
    return pieces.reverse()
  }
  return { ids, piecesOf }
}
