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

/** Which fields to count. */
export type FacetsInput = {
  /** Of `plane`, `modality`, `scope`, `docId`, `mime`, `createdAt`, `metadata.<path>`. 1 to 8 items. Without repetition. Each item: at most 137 characters. */
  fields: Array<string>;
  /** Conditions on Units. A field's own condition does not apply to its facet. */
  filters?: SearchFiltersInput | null | undefined;
  /** How many values of each field. 1 to 100. Default: `20`. */
  limit?: number | null | undefined;
  /** Only Units of these planes. Default: all. At least 1 item. */
  planes?: Array<Plane> | null | undefined;
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

/** What kind of content a Unit is. */
export type Modality =
  /** Text recognised in speech. */
  | 'asr'
  /** An utterance in a recording. */
  | 'audio_utterance'
  /** A description of an image or video. */
  | 'caption'
  /** A part of a longer text. */
  | 'chunk'
  /** An object that a detector found. */
  | 'detection'
  /** A page of a document. */
  | 'doc_page'
  /** A whole image. */
  | 'image'
  /** A part of an image. */
  | 'image_region'
  /** A log line without its variable parts. */
  | 'log_template'
  /** Text recognised in an image or page. */
  | 'ocr'
  /** A text. */
  | 'text'
  /** A shot of a video. */
  | 'video_shot';

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

/** Which readers one of them stands for. */
export type ReaderKind =
  /** All who may read the scope. */
  | 'everyone'
  /** The members of a group. */
  | 'group'
  /** The principal that owns it. */
  | 'owner'
  /** Another principal. */
  | 'person';

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

export type SearchQueryVariables = Exact<{
  input: SearchInput;
}>;


export type SearchQuery = { search: { hiddenByAcl: number, hits: Array<{ unitId: string, externalId: string | null, docId: string | null, title: string | null, score: number, rank: number, plane: Plane, modality: Modality, scope: string, mime: string | null, metadata: Record<string, unknown>, text: string | null, textStart: number, sourceUri: string | null, reasons: Array<string>, highlights: Array<{ start: number, end: number }>, readers: Array<{ kind: ReaderKind, id: string, name: string | null }>, locator:
        | { __typename: 'BoundingBox', page: number | null, x: number, y: number, w: number, h: number }
        | { __typename: 'CharSpan', start: number, end: number }
        | { __typename: 'LineRange', start: number, end: number }
        | { __typename: 'TimeRange', tStartMs: number, tEndMs: number }
       | null, explain: Array<{ leg: string, rank: number, score: number, normalized: number, weight: number }>, group: { hits: Array<{ unitId: string, snippet: { text: string } | null }> } | null }>, trace: { rerank: string, more: boolean, degraded: Array<string>, clampedPlanes: Array<Plane>, tookMs: number, query: { phrases: Array<string>, excluded: Array<string> } } } | null };

export type SearchAsQueryVariables = Exact<{
  principalId: string;
  input: SearchInput;
}>;


export type SearchAsQuery = { searchAs: { hiddenByAcl: number, context: { requestedScope: string, allowedScopes: Array<string> }, hits: Array<{ unitId: string, externalId: string | null, docId: string | null, title: string | null, score: number, rank: number, plane: Plane, modality: Modality, scope: string, mime: string | null, metadata: Record<string, unknown>, text: string | null, textStart: number, sourceUri: string | null, reasons: Array<string>, highlights: Array<{ start: number, end: number }>, readers: Array<{ kind: ReaderKind, id: string, name: string | null }>, locator:
        | { __typename: 'BoundingBox', page: number | null, x: number, y: number, w: number, h: number }
        | { __typename: 'CharSpan', start: number, end: number }
        | { __typename: 'LineRange', start: number, end: number }
        | { __typename: 'TimeRange', tStartMs: number, tEndMs: number }
       | null, explain: Array<{ leg: string, rank: number, score: number, normalized: number, weight: number }>, group: { hits: Array<{ unitId: string, snippet: { text: string } | null }> } | null }>, trace: { rerank: string, more: boolean, degraded: Array<string>, clampedPlanes: Array<Plane>, tookMs: number, query: { phrases: Array<string>, excluded: Array<string> } } } | null };

export type FoundFragment = { hiddenByAcl: number, hits: Array<{ unitId: string, externalId: string | null, docId: string | null, title: string | null, score: number, rank: number, plane: Plane, modality: Modality, scope: string, mime: string | null, metadata: Record<string, unknown>, text: string | null, textStart: number, sourceUri: string | null, reasons: Array<string>, highlights: Array<{ start: number, end: number }>, readers: Array<{ kind: ReaderKind, id: string, name: string | null }>, locator:
      | { __typename: 'BoundingBox', page: number | null, x: number, y: number, w: number, h: number }
      | { __typename: 'CharSpan', start: number, end: number }
      | { __typename: 'LineRange', start: number, end: number }
      | { __typename: 'TimeRange', tStartMs: number, tEndMs: number }
     | null, explain: Array<{ leg: string, rank: number, score: number, normalized: number, weight: number }>, group: { hits: Array<{ unitId: string, snippet: { text: string } | null }> } | null }>, trace: { rerank: string, more: boolean, degraded: Array<string>, clampedPlanes: Array<Plane>, tookMs: number, query: { phrases: Array<string>, excluded: Array<string> } } };

export type ThumbnailLinkQueryVariables = Exact<{
  unitId: string;
}>;


export type ThumbnailLinkQuery = { sourceLink: { url: string, mime: string, bytes: number, inline: boolean } | null };

export type FacetsQueryVariables = Exact<{
  input: FacetsInput;
}>;


export type FacetsQuery = { facets: { count: number, metadataKeys: Array<string>, facets: Array<{ field: string, other: number, values: Array<{ value: unknown, count: number }> }> } | null };

export type KeepGoldenMutationVariables = Exact<{
  queries: Array<GoldenQueryInput> | GoldenQueryInput;
}>;


export type KeepGoldenMutation = { createGoldenQueries: { __typename: 'GoldenQueryChange' } | null };

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
export const FoundFragmentDoc = new TypedDocumentString(`
    fragment Found on SearchResult {
  hiddenByAcl
  hits {
    unitId
    externalId
    docId
    title
    score
    rank
    plane
    modality
    scope
    mime
    metadata
    text
    textStart
    highlights {
      start
      end
    }
    sourceUri
    readers {
      kind
      id
      name
    }
    locator {
      __typename
      ... on LineRange {
        start
        end
      }
      ... on CharSpan {
        start
        end
      }
      ... on TimeRange {
        tStartMs
        tEndMs
      }
      ... on BoundingBox {
        page
        x
        y
        w
        h
      }
    }
    reasons
    explain {
      leg
      rank
      score
      normalized
      weight
    }
    group {
      hits {
        unitId
        snippet {
          text
        }
      }
    }
  }
  trace {
    query {
      phrases
      excluded
    }
    rerank
    more
    degraded
    clampedPlanes
    tookMs
  }
}
    `, {"fragmentName":"Found"}) as unknown as TypedDocumentString<FoundFragment, unknown>;
export const SearchDocument = new TypedDocumentString(`
    query Search($input: SearchInput!) {
  search(input: $input) {
    ...Found
  }
}
    fragment Found on SearchResult {
  hiddenByAcl
  hits {
    unitId
    externalId
    docId
    title
    score
    rank
    plane
    modality
    scope
    mime
    metadata
    text
    textStart
    highlights {
      start
      end
    }
    sourceUri
    readers {
      kind
      id
      name
    }
    locator {
      __typename
      ... on LineRange {
        start
        end
      }
      ... on CharSpan {
        start
        end
      }
      ... on TimeRange {
        tStartMs
        tEndMs
      }
      ... on BoundingBox {
        page
        x
        y
        w
        h
      }
    }
    reasons
    explain {
      leg
      rank
      score
      normalized
      weight
    }
    group {
      hits {
        unitId
        snippet {
          text
        }
      }
    }
  }
  trace {
    query {
      phrases
      excluded
    }
    rerank
    more
    degraded
    clampedPlanes
    tookMs
  }
}`, {"hash":"sha256:1fbb08e05dbd4c3aaef0e2bd816cfa2380c01f244fafae288894d5724fb55740"}) as unknown as TypedDocumentString<SearchQuery, SearchQueryVariables>;
export const SearchAsDocument = new TypedDocumentString(`
    query SearchAs($principalId: String!, $input: SearchInput!) {
  searchAs(principalId: $principalId, input: $input) {
    ...Found
    context {
      requestedScope
      allowedScopes
    }
  }
}
    fragment Found on SearchResult {
  hiddenByAcl
  hits {
    unitId
    externalId
    docId
    title
    score
    rank
    plane
    modality
    scope
    mime
    metadata
    text
    textStart
    highlights {
      start
      end
    }
    sourceUri
    readers {
      kind
      id
      name
    }
    locator {
      __typename
      ... on LineRange {
        start
        end
      }
      ... on CharSpan {
        start
        end
      }
      ... on TimeRange {
        tStartMs
        tEndMs
      }
      ... on BoundingBox {
        page
        x
        y
        w
        h
      }
    }
    reasons
    explain {
      leg
      rank
      score
      normalized
      weight
    }
    group {
      hits {
        unitId
        snippet {
          text
        }
      }
    }
  }
  trace {
    query {
      phrases
      excluded
    }
    rerank
    more
    degraded
    clampedPlanes
    tookMs
  }
}`, {"hash":"sha256:7c3997df8670ac33006021d62d9e81f5311fb00a0b823db5f6c6f861ec3b5e5c"}) as unknown as TypedDocumentString<SearchAsQuery, SearchAsQueryVariables>;
export const ThumbnailLinkDocument = new TypedDocumentString(`
    query ThumbnailLink($unitId: String!) {
  sourceLink(unitId: $unitId) {
    url
    mime
    bytes
    inline
  }
}
    `, {"hash":"sha256:afc04400848d93df4bbed4f113c608f89c9f865c411c0e6f6b0f3931841565e1"}) as unknown as TypedDocumentString<ThumbnailLinkQuery, ThumbnailLinkQueryVariables>;
export const FacetsDocument = new TypedDocumentString(`
    query Facets($input: FacetsInput!) {
  facets(input: $input) {
    count
    metadataKeys
    facets {
      field
      other
      values {
        value
        count
      }
    }
  }
}
    `, {"hash":"sha256:053521d9d34949e2333c09ac12dce9bc24b5cde2ea65cfd65a7eb1a4e044fc29"}) as unknown as TypedDocumentString<FacetsQuery, FacetsQueryVariables>;
export const KeepGoldenDocument = new TypedDocumentString(`
    mutation KeepGolden($queries: [GoldenQueryInput!]!) {
  createGoldenQueries(queries: $queries) {
    __typename
  }
}
    `, {"hash":"sha256:e2973e14338401b7c7ed8aff29dcb8f1f8f5b59f8fcd7d51d5fd947803273986"}) as unknown as TypedDocumentString<KeepGoldenMutation, KeepGoldenMutationVariables>;