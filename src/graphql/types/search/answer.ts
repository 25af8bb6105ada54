import type { Answer, AnswerSentence, Citation } from '../../../model/answer.ts'
import { boolean, float, int, list, nullable, objectType, of, string, strings } from '../../builder/types.ts'
import { LocatorUnion } from '../units/locator.ts'

const CitationRef = objectType<Citation>('Citation', "A verbatim piece of a Unit's text that an answer rests on.", {
  marker: int('The integer in `[n]`.'),
  unitId: string('The Unit, one of the hits.'),
  quote: string("The Unit's text from `start` to `end`, unchanged."),
  start: int("UTF-16 offset in the Unit's text."),
  end: int('Offset after the last character.'),
  sha256: string("SHA-256 of the Unit's whole text in UTF-8, in hex."),
  locator: nullable(of(LocatorUnion, "The Unit's span in its source.")),
  sourceUri: nullable(string("Pointer to the Unit's raw source.")),
})

const FaithfulnessRef = objectType<Answer['faithfulness']>(
  'Faithfulness',
  'How well the text around the quotes supports the sentences of an answer.',
  {
    method: string('The model that checks the support.'),
    min: nullable(float('The score of the worst sentence, 0..1; null for an abstention.')),
    unsupported: strings('Sentences that were kept although they are not supported.'),
  },
)

export const AnswerSentenceRef = objectType<AnswerSentence>(
  'AnswerSentence',
  'A sentence of an answer, which its citations support.',
  {
    index: int('Its place in the answer, from 0.'),
    text: string('The sentence, followed by its citation markers `[n]`.'),
    citations: list(CitationRef, 'The sources of its markers.'),
    faithfulness: float('How well the text around its quotes supports it, 0..1.'),
  },
)

export const AnswerRef = objectType<Answer>('Answer', 'An answer that uses only the hits.', {
  text: string('Sentences, each followed by its citation markers `[n]`.'),
  citations: list(CitationRef, 'The sources of the markers.'),
  sentences: list(
    AnswerSentenceRef,
    'Its sentences: joined by one space, their texts are `text`. None for an abstention.',
  ),
  nliFaithfulness: nullable(float('The mean over its sentences, 0..1; null for an abstention.')),
  confidence: nullable(float('The probability that it answers the question, 0..1; null for an abstention.')),
  faithfulness: of(FaithfulnessRef, 'How well the sentences are supported.'),
  abstained: boolean('True if the hits contain no answer.'),
  model: string('The model that wrote the answer.'),
})
