import type { AnswerEvent } from '../../domain/search/search.ts'
import type { Hit } from '../../model/search.ts'
import { builder } from '../builder/builder.ts'
import { runs, streams } from '../builder/root-fields.ts'
import {
  boolean,
  enumType,
  exposed,
  float,
  int,
  json,
  list,
  nullable,
  objectType,
  of,
  safeInt,
  string,
  strings,
} from '../builder/types.ts'
import { ContextRef } from './access.ts'
import { PlaneEnum, QuerySyntaxEnum } from './common.ts'
import { FacetRef } from './documents.ts'
import { LocatorUnion, UnitFacts, UnitPageRef } from './units.ts'

const CitationRef = objectType('Citation', "A verbatim piece of a Unit's text that an answer rests on.", {
  marker: int('The integer in `[n]`.'),
  unitId: string('The Unit, one of the hits.'),
  quote: string("The Unit's text from `start` to `end`, unchanged."),
  start: int("UTF-16 offset in the Unit's text."),
  end: int('Offset after the last character.'),
  sha256: string("SHA-256 of the Unit's whole text in UTF-8, in hex."),
  locator: nullable(of(LocatorUnion, "The Unit's span in its source.")),
  sourceUri: nullable(string("Pointer to the Unit's raw source.")),
})

const FaithfulnessRef = objectType(
  'Faithfulness',
  'How well the text around the quotes supports the sentences of an answer.',
  {
    method: string('The model that checks the support.'),
    min: nullable(float('The score of the worst sentence, 0..1; null for an abstention.')),
    unsupported: strings('Sentences that were kept although they are not supported.'),
  },
)

const AnswerSentenceRef = objectType('AnswerSentence', 'A sentence of an answer, which its citations support.', {
  index: int('Its place in the answer, from 0.'),
  text: string('The sentence, followed by its citation markers `[n]`.'),
  citations: list(CitationRef, 'The sources of its markers.'),
  faithfulness: float('How well the text around its quotes supports it, 0..1.'),
})

const AnswerRef = objectType('Answer', 'An answer that uses only the hits.', {
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

const LegTraceRef = objectType('LegTrace', 'One leg of a search.', {
  leg: string('The leg, such as `text` or `vector:audio`.'),
  engine: string('The engine that answered.'),
  candidates: int('Number of visible candidates.'),
  tookMs: float('Milliseconds.'),
})

const FusionTraceRef = objectType('FusionTrace', 'How the scores of the legs were combined.', {
  method: string('The method.'),
  weights: json('The weight of each leg.'),
})

const AnswerStepRef = objectType('AnswerStep', 'One search of an answer.', {
  query: string('What was searched: the question, or a sub-question.'),
  hits: int('Number of Units that it found.'),
  kept: int('How many new ones of them the answer could rest on.'),
  tookMs: float('Milliseconds.'),
})

const AnswerTraceRef = objectType('AnswerTrace', 'How an answer was made.', {
  passages: int('Number of passages given to the writer.'),
  removed: int('Number of sentences removed because no citation supports them.'),
  steps: list(AnswerStepRef, "The searches, the question's own first."),
  tookMs: float('Milliseconds.'),
})

const UnderstoodQueryRef = objectType('UnderstoodQuery', 'What was understood of `q`.', {
  phrases: strings('What stands in quotes.'),
  excluded: strings('Words and phrases that no hit has.'),
  prefix: nullable(string('The word that stands for those that begin with it, too.')),
  syntax: of(QuerySyntaxEnum, 'How it was read.'),
})

const TraceRef = objectType('SearchTrace', 'How a search result was made.', {
  requestId: string('The `X-Request-Id`.'),
  planes: list(PlaneEnum, 'Planes searched.'),
  clampedPlanes: list(PlaneEnum, 'Requested planes that the tier, key or scope does not enable.'),
  legs: list(LegTraceRef, 'The legs that answered.'),
  query: of(UnderstoodQueryRef, 'What was understood of `q`.'),
  fusion: of(FusionTraceRef, 'How the scores of the legs were combined.'),
  rerank: string('The reranker that ran, or why none did.'),
  more: boolean('Whether there are hits, or groups, after these: `offset` skips to them.'),
  answer: nullable(of(AnswerTraceRef, 'How the answer was made.')),
  seq: safeInt("The namespace's latest seq."),
  indexSeq: safeInt('The latest seq in the indexes.'),
  degraded: strings(
    'Parts that failed. Failed legs and `rerank` were left out. For `answer` (writing) and `entailment` (checking) the built-in models were used. With `steps` a further search of an answer failed, or its planning, which rules replaced. With `ranking:builtin-vectors` all other legs failed, and the ranking is much worse.',
  ),
  tookMs: float('Milliseconds.'),
})

const HighlightRef = objectType(
  'Highlight',
  'Position of a query word in the text of a hit: UTF-16 offsets, end exclusive.',
  {
    start: int('First offset.'),
    end: int('Offset after the last character.'),
  },
)

const LegExplanationRef = objectType('LegExplanation', 'How one leg of the search saw a hit.', {
  leg: string('The leg, such as `text` or `vector:audio`.'),
  rank: int('Its rank in this leg, from 1.'),
  score: float('The score of the engine: BM25 or cosine.'),
  normalized: float('The score scaled to 0..1 among visible candidates.'),
  weight: float("The leg's weight in the fusion."),
})

const SnippetRef = objectType('Snippet', "The part of a Unit's text that matches best.", {
  text: string('The part.'),
  start: int("Its UTF-16 offset in the Unit's text."),
  highlights: list(HighlightRef, 'Matching words, as offsets in `text`, at most 100.'),
})

type FoundHit = Omit<Hit, 'group'>

const found = (t: object) =>
  exposed<FoundHit>(t, {
    score: float('0..1.'),
    rank: int('The rank, from 1.'),
    textStart: int(
      "UTF-16 offset of `text` in the Unit's text. If the text is longer than 16 KiB, a hit has only its best passage; `unit` has all of it.",
    ),
    highlights: list(HighlightRef, 'Matching words, at most 100.'),
    explain: list(LegExplanationRef, 'The legs of the search that found it.'),
    reasons: strings(
      'The same in words: by which words it was found, how near its meaning is, or why that was not used.',
    ),
    snippet: nullable(of(SnippetRef, 'Of at most `snippetLength` characters; null without it, and without a text.')),
  })

const GroupedHitRef = builder.objectRef<FoundHit>('GroupedHit').implement({
  description: 'A hit within a group, with the rank of the group.',
  interfaces: [UnitFacts],
  fields: found,
})

const HitGroupRef = objectType('HitGroup', 'What a group has in common, and the best of it.', {
  value: nullable(json('The value of `groupBy`; null for a Unit without one, which is a group of its own.')),
  hits: list(
    GroupedHitRef,
    'At most `groupSize`, best first: the hit that has the group is the first one. A text of more than 4 KiB is cut to its best passage.',
  ),
})

const HitRef = builder.objectRef<Hit>('Hit').implement({
  description: 'A found Unit, and why it was found.',
  interfaces: [UnitFacts],
  fields: (t) => ({
    ...found(t),
    ...exposed<Hit>(t, { group: nullable(of(HitGroupRef, 'Its group; null without `groupBy`.')) }),
  }),
})

const SearchResultRef = objectType('SearchResult', 'The result of a search.', {
  hits: list(HitRef, 'Best first.'),
  answer: nullable(of(AnswerRef, 'Null unless an answer was requested.')),
  facets: nullable(
    list(FacetRef, 'Counts of what was found, up to the 10,000 best, in the order of `facets`; null without it.'),
  ),
  trace: of(TraceRef, 'How the result was made.'),
  context: of(ContextRef, 'The enforcement context.'),
  hiddenByAcl: int(
    'How many of the `topK` hits that a caller without access limits would get for `q` alone, in the same scopes and planes, are hidden from this one. No other field of the query changes it. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0.',
  ),
})

runs('search', SearchResultRef, (query, services) => services.search(query))

runs('answer', SearchResultRef, (query, services) => services.answer(query))

enumType('EmbeddingKind', 'What a text is: some models embed the two differently.', ['passage', 'query'], {
  passage: 'A text that is searched.',
  query: 'A question.',
})

const EmbeddingsRef = objectType('Embeddings', 'Vectors of texts.', {
  model: string('The model.'),
  dims: int('Their length.'),
  vectors: { type: ['Vector'], description: 'One for each text, in order, of length 1.' },
})

runs('embed', EmbeddingsRef, (input, services) => services.embed(input))

const AnswerSearchedRef = objectType('AnswerSearched', 'The hits are known; the answer is being written.', {
  result: of(SearchResultRef, 'The hits; `answer` is null.'),
})

const AnswerFinishedRef = objectType('AnswerFinished', 'The whole.', {
  result: of(SearchResultRef, 'What `answer` of the queries returns.'),
})

const refs = { searched: AnswerSearchedRef, sentence: AnswerSentenceRef, finished: AnswerFinishedRef }

const AnswerEventUnion = builder.unionType('AnswerEvent', {
  description: 'A step of an answer: the hits, then each sentence that passed, then the whole.',
  types: Object.values(refs),
  resolveType: (event) => refs[(event as AnswerEvent).kind],
})

streams('answer', AnswerEventUnion, (query, services) => services.streamAnswer(query))

runs('searchAs', SearchResultRef, (input, services) => services.viewAs.search(input))

runs('unitsAs', UnitPageRef, (input, services) => services.viewAs.units(input))
