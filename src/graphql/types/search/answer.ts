import type { Answer, AnswerSentence, Citation } from '../../../model/answer.ts'
import { builder } from '../../builder/builder.ts'
import { LocatorUnion } from '../units/locator.ts'

const CitationRef = builder.objectRef<Citation>('Citation').implement({
  description: "A verbatim piece of a Unit's text that an answer rests on.",
  fields: (t) => ({
    marker: t.exposeInt('marker', { description: 'The integer in `[n]`.' }),
    unitId: t.exposeString('unitId', { description: 'The Unit, one of the hits.' }),
    quote: t.exposeString('quote', { description: "The Unit's text from `start` to `end`, unchanged." }),
    start: t.exposeInt('start', { description: "UTF-16 offset in the Unit's text." }),
    end: t.exposeInt('end', { description: 'Offset after the last character.' }),
    sha256: t.exposeString('sha256', { description: "SHA-256 of the Unit's whole text in UTF-8, in hex." }),
    locator: t.expose('locator', { type: LocatorUnion, nullable: true, description: "The Unit's span in its source." }),
    sourceUri: t.exposeString('sourceUri', { nullable: true, description: "Pointer to the Unit's raw source." }),
  }),
})

const FaithfulnessRef = builder.objectRef<Answer['faithfulness']>('Faithfulness').implement({
  description: 'How well the text around the quotes supports the sentences of an answer.',
  fields: (t) => ({
    method: t.exposeString('method', { description: 'The model that checks the support.' }),
    min: t.exposeFloat('min', {
      nullable: true,
      description: 'The score of the worst sentence, 0..1; null for an abstention.',
    }),
    unsupported: t.exposeStringList('unsupported', {
      description: 'Sentences that were kept although they are not supported.',
    }),
  }),
})

export const AnswerSentenceRef = builder.objectRef<AnswerSentence>('AnswerSentence').implement({
  description: 'A sentence of an answer, which its citations support.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the answer, from 0.' }),
    text: t.exposeString('text', { description: 'The sentence, followed by its citation markers `[n]`.' }),
    citations: t.expose('citations', { type: [CitationRef], description: 'The sources of its markers.' }),
    faithfulness: t.exposeFloat('faithfulness', {
      description: 'How well the text around its quotes supports it, 0..1.',
    }),
  }),
})

export const AnswerRef = builder.objectRef<Answer>('Answer').implement({
  description: 'An answer that uses only the hits.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'Sentences, each followed by its citation markers `[n]`.' }),
    citations: t.expose('citations', { type: [CitationRef], description: 'The sources of the markers.' }),
    sentences: t.expose('sentences', {
      type: [AnswerSentenceRef],
      description: 'Its sentences: joined by one space, their texts are `text`. None for an abstention.',
    }),
    nliFaithfulness: t.exposeFloat('nliFaithfulness', {
      nullable: true,
      description: 'The mean over its sentences, 0..1; null for an abstention.',
    }),
    confidence: t.exposeFloat('confidence', {
      nullable: true,
      description: 'The probability that it answers the question, 0..1; null for an abstention.',
    }),
    faithfulness: t.expose('faithfulness', {
      type: FaithfulnessRef,
      description: 'How well the sentences are supported.',
    }),
    abstained: t.exposeBoolean('abstained', { description: 'True if the hits contain no answer.' }),
    model: t.exposeString('model', { description: 'The model that wrote the answer.' }),
  }),
})
