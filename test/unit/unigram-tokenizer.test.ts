import { Tokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTokenizer } from '../../src/adapters/inference-onnx/create-tokenizer.ts'

const characters = ['▁', 'a', 'b', 'c', 'é', '漢', '🦉', ' ', '<', 's', '>']
const word = fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
/** Quarters: sums are exact, and ties happen. */
const score = fc.integer({ min: -40, max: 0 }).map((quarters) => quarters / 4)
const vocabulary = fc.uniqueArray(fc.tuple(word, score), { minLength: 1, maxLength: 30, selector: ([piece]) => piece })

const specials = ['<s>', '</s>', '<unk>'].map((content, id) => ({ id, content, special: true, normalized: false }))
const tokenizerOf = (pieces: readonly (readonly [string, number])[]) => ({
  added_tokens: specials,
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
    ],
    pair: [
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
      { Sequence: { id: 'B', type_id: 1 } },
    ],
  },
  decoder: null,
  model: {
    type: 'Unigram',
    unk_id: 2,
    vocab: [...specials.map(({ content }): [string, number] => [content, 0]), ...pieces],
  },
})

it('splits texts as the library does, with the pieces of any vocabulary', () => {
  const pieces = vocabulary.map((all) => all.filter(([piece]) => !/^<\/?s>$|^<unk>$/.test(piece)))
  const texts = fc.array(fc.constantFrom(...characters, 'x', '<s>', '𒀀'), { maxLength: 20 }).map((all) => all.join(''))
  fc.assert(
    fc.property(pieces, fc.array(texts, { minLength: 1, maxLength: 5 }), (vocab, samples) => {
      const file = tokenizerOf(vocab)
      const [own, library] = [createTokenizer(file, {}), new Tokenizer(file, {})]
      for (const text of samples) {
        expect(own.encode(text).ids).toEqual(library.encode(text).ids)
        const pair = { text_pair: 'ab c', return_token_type_ids: true } as const
        expect(own.encode(text, pair)).toEqual(library.encode(text, pair))
      }
    }),
    { numRuns: 500 },
  )
})
