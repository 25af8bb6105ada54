/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** What raises or lowers scores: `by` and `halfLifeDays`, or `filter` and `weight`. */
export type BoostInput = {
  /** `created_at`, or `metadata.<path>` with epoch milliseconds or an ISO 8601 date. At most 654 characters. Pattern: `^(created_at|createdAt|metadata(\.(\\.|[^.\\])+){1,5})$`. */
  by?: string | null | undefined;
  /** What Units must meet to have the weight. */
  filter?: SearchFiltersInput | null | undefined;
  /** After how many days the score is half. At most 36,500. */
  halfLifeDays?: number | null | undefined;
  /** What multiplies their score. 0.1 to 10. */
  weight?: number | null | undefined;
};

/** A golden query. It expects at least one Unit or answer. */
export type GoldenQueryInput = {
  /** Expected answers. An answer should contain one of them. At most 10 items. Without repetition. Each item: at most 2,000 characters. Default: `[]`. */
  expectedAnswers?: Array<string> | null | undefined;
  /** External ids of the Units that it should find. If several Units have the same external id, any of them counts. At most 100 items. Without repetition. Each item: 1 to 128 characters. Default: `[]`. */
  expectedExternalIds?: Array<string> | null | undefined;
  /** Ids of the Units that it should find. They are not checked: an unknown or hidden Unit counts as not found. At most 100 items. Without repetition. Each item: 1 to 128 characters. Default: `[]`. */
  expectedUnitIds?: Array<string> | null | undefined;
  /** The query. At most 8,192 characters. */
  q: string;
  /** The scope to search, a path or `*`, unless the run requests one. At most 256 characters. Pattern: `^([*]|(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7})$`. */
  scope?: string | null | undefined;
};

/** Where a Unit is indexed. */
export type Plane =
  /** Audio utterances. */
  | 'audio'
  /** Images of document pages. */
  | 'doc_visual'
  /** Text, chunks, captions, OCR, transcripts and logs. */
  | 'text'
  /** Images, image regions, video shots and detections. */
  | 'visual';

/** Whether words are taken for beginnings of words. */
export type Prefix =
  /** The last one, which finds the word itself first. */
  | 'last'
  /** No word. */
  | 'none';

/** A picture as the query: PNG, JPEG, GIF or WebP. One of the two fields. */
export type QueryImageInput = {
  /** The picture in base64, at most 4 MiB of it. 1 to 5,592,408 characters. */
  base64?: string | null | undefined;
  /** A source that you uploaded, at most 15 MiB. 1 to 2,048 characters. */
  sourceUri?: string | null | undefined;
};

/** How `q` is read. */
export type QuerySyntax =
  /** Every character is text. Texts with a phrase that is in quotes rank before others. */
  | 'plain'
  /** A hit has each phrase in quotes, and nothing of what follows a `-`. */
  | 'web';

/** The caller's own query embeddings, by plane. */
export type QueryVectorsInput = {
  /** For the plane `audio`. 1 to 4,096 items. */
  audio?: unknown;
  /** For the plane `doc_visual`. 1 to 4,096 items. */
  docVisual?: unknown;
  /** For the plane `text`. 1 to 4,096 items. */
  text?: unknown;
  /** For the plane `visual`. 1 to 4,096 items. */
  visual?: unknown;
};

/** Conditions that must all match, at most 64, nested at most 6 deep. */
export type SearchFiltersInput = {
  /** Owners. */
  aclOwner?: unknown;
  /** All of these must match. 1 to 64 items. */
  and?: Array<SearchFiltersInput> | null | undefined;
  /** Inclusive. */
  createdAfter?: number | string | null | undefined;
  /** When it was first written. */
  createdAt?: unknown;
  /** Inclusive. */
  createdBefore?: number | string | null | undefined;
  /** Documents. */
  docId?: unknown;
  /** The writers' own ids. */
  externalId?: unknown;
  /** `{path: condition}`. Dots lead into objects: `loc.lines.from`; `\.` is a dot of a key. At most 64 keys. */
  metadata?: unknown;
  /** Content types. */
  mime?: unknown;
  /** Modalities. */
  modality?: unknown;
  /** This must not match. */
  not?: SearchFiltersInput | null | undefined;
  /** At least one of these must match. 1 to 64 items. */
  or?: Array<SearchFiltersInput> | null | undefined;
  /** Planes. */
  plane?: unknown;
  /** Raw sources. */
  sourceUri?: unknown;
  /** Time range that must overlap. */
  timeRange?: TimeRangeInput | null | undefined;
  /** When it was last changed. */
  updatedAt?: unknown;
};

/** A search query. */
export type SearchInput = {
  /** Whether an answer may search in several steps. Default: `true`. */
  agentic?: boolean | null | undefined;
  /** Whether to add an answer from the hits. Not every tier includes answers. */
  answer?: boolean | null | undefined;
  /** Multiplies the fused scores of hits, which stay below 1; `explain` says by what. At most 5 items. */
  boost?: Array<BoostInput> | null | undefined;
  /** How much the hits should differ from each other: hits are chosen from the best 50, and `score` no longer falls from hit to hit. 0 is by score alone. 0 to 1. Default: `0`. */
  diversity?: number | null | undefined;
  /** Counts values of what is found: of `plane`, `modality`, `scope`, `doc_id`, `mime`, `created_at`, `metadata.<path>`. At most 8 items. Each item: at most 654 characters. Each item: pattern: `^(plane|modality|scope|doc_id|docId|mime|created_at|createdAt|metadata(\.(\\.|[^.\\])+){1,5})$`. */
  facets?: Array<string> | null | undefined;
  /** How many values of each. 1 to 100. Default: `20`. */
  facetsLimit?: number | null | undefined;
  /** Conditions on Units. */
  filters?: SearchFiltersInput | null | undefined;
  /** `doc_id` or `metadata.<path>`: then hits are the best of each group, and `topK` and `offset` count groups. At most 654 characters. Pattern: `^(doc_id|docId|metadata(\.(\\.|[^.\\])+){1,5})$`. */
  groupBy?: string | null | undefined;
  /** How many hits of a group. 1 to 5. Default: `1`. */
  groupSize?: number | null | undefined;
  /** Earlier turns, oldest first. They only help an answer to understand the question. At most 10 items. */
  history?: Array<TurnInput> | null | undefined;
  /** A picture to find pictures like it, beside `q` or alone. It counts in the planes whose model reads pictures; 400 where none does. */
  image?: QueryImageInput | null | undefined;
  /** Of the query, as a BCP 47 tag. Default: detected. Words match texts of every language by their stems. Pattern: `^([A-Za-z]{2,3}|[A-Za-z]{5,8})(-[A-Za-z0-9]{1,8}){0,7}$`. */
  language?: string | null | undefined;
  /** How many searches an answer may make, with the first. 1 to 8. Default: `4`. */
  maxSteps?: number | null | undefined;
  /** Withholds an answer that is less likely to be right. By default the writer decides. 0 to 1. */
  minConfidence?: number | null | undefined;
  /** Leaves out hits with a lower score. 0 to 1. Default: `0`. */
  minScore?: number | null | undefined;
  /** How many hits, or groups, to skip. Pages are stable while nothing changes. 0 to 1,000. Default: `0`. */
  offset?: number | null | undefined;
  /** Planes to search. Default: all. Planes that are not enabled are left out. At least 1 item. */
  planes?: Array<Plane> | null | undefined;
  /** `last`: the last word of `q` stands for the words that begin with it, too. Default: `none`. */
  prefix?: Prefix | null | undefined;
  /** The query. It may only be empty with `similarTo`, `image`, `vector` or `filters`. At most 8,192 characters. */
  q?: string | null | undefined;
  /** `web`: a hit has each `"phrase"` of `q`, and nothing of `-word` and `-"phrase"`. `plain`: `q` is text. Default: `web` for a search, `plain` for an answer. */
  querySyntax?: QuerySyntax | null | undefined;
  /** Whether to rerank. Ignored if the tier does not include it. Default: `false`. */
  rerank?: boolean | null | undefined;
  /** The scope to search, unless header or query name one; `*` is all allowed. At most 256 characters. Pattern: `^([*]|(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7})$`. */
  scope?: string | null | undefined;
  /** Instead of `q`: a Unit that the caller may read. Hits have its words or are near its vectors; it is left out itself. */
  similarTo?: SimilarToInput | null | undefined;
  /** Adds to each hit the part of its text that matches best, of this many characters. 0: none. 0 to 2,000. Default: `0`. */
  snippetLength?: number | null | undefined;
  /** By another field than `score`, the query selects all that it finds, and the order is that of the field. At most 3 items. */
  sort?: Array<SortInput> | null | undefined;
  /** How many hits. 1 to 50. Default: `10`. */
  topK?: number | null | undefined;
  /** Your own query embeddings. */
  vector?: QueryVectorsInput | null | undefined;
  /** The weight of vectors in the fusion, instead of the default or that of their model. 0 to 100. */
  vectorWeight?: number | null | undefined;
};

/** A Unit that hits should be like. */
export type SimilarToInput = {
  /** Its id. 1 to 128 characters. */
  unitId: string;
};

/** What hits are sorted by. Units without it come last, then ids decide. */
export type SortInput = {
  /** `score`, `created_at`, `updated_at` or `metadata.<path>`. At most 654 characters. Pattern: `^(score|created_at|createdAt|updated_at|updatedAt|metadata(\.(\\.|[^.\\])+){1,5})$`. */
  by: string;
  /** Default: `desc` for `score`, else `asc`. */
  order?: SortOrder | null | undefined;
};

/** Which values come first. */
export type SortOrder =
  /** The lowest. */
  | 'asc'
  /** The highest. */
  | 'desc';

/** Units whose `time_range` locator overlaps this one. */
export type TimeRangeInput = {
  /** Last millisecond. At least 0. */
  tEndMs: number;
  /** First millisecond. At least 0. */
  tStartMs: number;
};

/** An earlier question and its answer. */
export type TurnInput = {
  /** The answer. It is never evidence. At most 8,192 characters. */
  answer: string;
  /** The question. At most 8,192 characters. */
  q: string;
};

export type KeepAnswerMutationVariables = Exact<{
  queries: Array<GoldenQueryInput> | GoldenQueryInput;
}>;


export type KeepAnswerMutation = { createGoldenQueries: { __typename: 'GoldenQueryChange' } | null };

export type AskQueryVariables = Exact<{
  input: SearchInput;
}>;


export type AskQuery = { answer: { answer: { abstained: boolean, model: string, confidence: number | null, nliFaithfulness: number | null, sentences: Array<{ index: number, text: string, faithfulness: number, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> }>, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> } | null, hits: Array<{ unitId: string, externalId: string | null, docId: string | null, text: string | null, plane: Plane, scope: string }>, trace: { degraded: Array<string>, answer: { removed: number, tookMs: number, steps: Array<{ query: string, hits: number, kept: number, tookMs: number }> } | null } } | null };

export type AskAsItIsMadeSubscriptionVariables = Exact<{
  input: SearchInput;
}>;


export type AskAsItIsMadeSubscription = { answer:
    | { __typename: 'AnswerFinished', result: { answer: { abstained: boolean, model: string, confidence: number | null, nliFaithfulness: number | null, sentences: Array<{ index: number, text: string, faithfulness: number, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> }>, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> } | null, hits: Array<{ unitId: string, externalId: string | null, docId: string | null, text: string | null, plane: Plane, scope: string }>, trace: { degraded: Array<string>, answer: { removed: number, tookMs: number, steps: Array<{ query: string, hits: number, kept: number, tookMs: number }> } | null } } }
    | { __typename: 'AnswerSearched' }
    | { __typename: 'AnswerSentence', index: number, text: string, faithfulness: number, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> }
   };

export type AskedFragment = { answer: { abstained: boolean, model: string, confidence: number | null, nliFaithfulness: number | null, sentences: Array<{ index: number, text: string, faithfulness: number, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> }>, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> } | null, hits: Array<{ unitId: string, externalId: string | null, docId: string | null, text: string | null, plane: Plane, scope: string }>, trace: { degraded: Array<string>, answer: { removed: number, tookMs: number, steps: Array<{ query: string, hits: number, kept: number, tookMs: number }> } | null } };

export type SentenceFragment = { index: number, text: string, faithfulness: number, citations: Array<{ marker: number, unitId: string, quote: string, start: number, end: number }> };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const SentenceFragmentDoc = new TypedDocumentString(`
    fragment Sentence on AnswerSentence {
  index
  text
  faithfulness
  citations {
    marker
    unitId
    quote
    start
    end
  }
}
    `, {"fragmentName":"Sentence"}) as unknown as TypedDocumentString<SentenceFragment, unknown>;
export const AskedFragmentDoc = new TypedDocumentString(`
    fragment Asked on SearchResult {
  answer {
    abstained
    model
    confidence
    nliFaithfulness
    sentences {
      ...Sentence
    }
    citations {
      marker
      unitId
      quote
      start
      end
    }
  }
  hits {
    unitId
    externalId
    docId
    text
    plane
    scope
  }
  trace {
    degraded
    answer {
      removed
      tookMs
      steps {
        query
        hits
        kept
        tookMs
      }
    }
  }
}
    fragment Sentence on AnswerSentence {
  index
  text
  faithfulness
  citations {
    marker
    unitId
    quote
    start
    end
  }
}`, {"fragmentName":"Asked"}) as unknown as TypedDocumentString<AskedFragment, unknown>;
export const KeepAnswerDocument = new TypedDocumentString(`
    mutation KeepAnswer($queries: [GoldenQueryInput!]!) {
  createGoldenQueries(queries: $queries) {
    __typename
  }
}
    `, {"hash":"sha256:452242857b8e30aab62c9aa3702da34b033a75f098ecb8b56d9956893cbe1012"}) as unknown as TypedDocumentString<KeepAnswerMutation, KeepAnswerMutationVariables>;
export const AskDocument = new TypedDocumentString(`
    query Ask($input: SearchInput!) {
  answer(input: $input) {
    ...Asked
  }
}
    fragment Asked on SearchResult {
  answer {
    abstained
    model
    confidence
    nliFaithfulness
    sentences {
      ...Sentence
    }
    citations {
      marker
      unitId
      quote
      start
      end
    }
  }
  hits {
    unitId
    externalId
    docId
    text
    plane
    scope
  }
  trace {
    degraded
    answer {
      removed
      tookMs
      steps {
        query
        hits
        kept
        tookMs
      }
    }
  }
}
fragment Sentence on AnswerSentence {
  index
  text
  faithfulness
  citations {
    marker
    unitId
    quote
    start
    end
  }
}`, {"hash":"sha256:a100107930106cc444f9115fe4f0f6cbcd17033378a589bd05ac4766c5e107c4"}) as unknown as TypedDocumentString<AskQuery, AskQueryVariables>;
export const AskAsItIsMadeDocument = new TypedDocumentString(`
    subscription AskAsItIsMade($input: SearchInput!) {
  answer(input: $input) {
    __typename
    ... on AnswerSentence {
      ...Sentence
    }
    ... on AnswerFinished {
      result {
        ...Asked
      }
    }
  }
}
    fragment Asked on SearchResult {
  answer {
    abstained
    model
    confidence
    nliFaithfulness
    sentences {
      ...Sentence
    }
    citations {
      marker
      unitId
      quote
      start
      end
    }
  }
  hits {
    unitId
    externalId
    docId
    text
    plane
    scope
  }
  trace {
    degraded
    answer {
      removed
      tookMs
      steps {
        query
        hits
        kept
        tookMs
      }
    }
  }
}
fragment Sentence on AnswerSentence {
  index
  text
  faithfulness
  citations {
    marker
    unitId
    quote
    start
    end
  }
}`, {"hash":"sha256:7b3bf6b4e2fd503fdd4971c37a34bf47b747df209fce1e34c19181e1db2c3ccd"}) as unknown as TypedDocumentString<AskAsItIsMadeSubscription, AskAsItIsMadeSubscriptionVariables>;