import type { AnswerEvent } from '../../../domain/search/search.ts'
import { builder } from '../../builder/builder.ts'
import { streams } from '../../builder/root-fields.ts'
import { objectType, of } from '../../builder/types.ts'
import { AnswerSentenceRef } from './answer.ts'
import { SearchResultRef } from './search.ts'

type EventOf<Kind> = Extract<AnswerEvent, { kind: Kind }>

const AnswerSearchedRef = objectType<EventOf<'searched'>>(
  'AnswerSearched',
  'The hits are known; the answer is being written.',
  {
    result: of(SearchResultRef, 'The hits; `answer` is null.'),
  },
)

const AnswerFinishedRef = objectType<EventOf<'finished'>>('AnswerFinished', 'The whole.', {
  result: of(SearchResultRef, 'What `answer` of the queries returns.'),
})

const refs = { searched: AnswerSearchedRef, sentence: AnswerSentenceRef, finished: AnswerFinishedRef }

const AnswerEventUnion = builder.unionType('AnswerEvent', {
  description: 'A step of an answer: the hits, then each sentence that passed, then the whole.',
  types: Object.values(refs),
  resolveType: (event) => refs[(event as AnswerEvent).kind],
})

streams('answer', AnswerEventUnion, (query, services) => services.streamAnswer(query))
