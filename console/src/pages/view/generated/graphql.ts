/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

/** A form of a source. */
export type SourceRendition =
  /** The bytes as they were uploaded. */
  | 'original'
  /** The text that `char_span` and `line_range` point into, in UTF-8. */
  | 'text';

/** Units whose `time_range` locator overlaps this one. */
export type TimeRangeInput = {
  /** Last millisecond. At least 0. */
  tEndMs: number;
  /** First millisecond. At least 0. */
  tStartMs: number;
};

export type ViewedUnitQueryVariables = Exact<{
  unitId: string;
}>;


export type ViewedUnitQuery = { unit: { unitId: string, docId: string | null, externalId: string | null, title: string | null, text: string | null, scope: string, plane: Plane, modality: Modality, mime: string | null, sourceUri: string | null, metadata: Record<string, unknown>, createdAt: number, updatedAt: number, version: number, readers: Array<{ kind: ReaderKind, id: string, name: string | null }>, locator:
      | { __typename: 'BoundingBox', page: number | null, x: number, y: number, w: number, h: number }
      | { __typename: 'CharSpan', start: number, end: number }
      | { __typename: 'LineRange', start: number, end: number }
      | { __typename: 'TimeRange', tStartMs: number, tEndMs: number }
     | null } | null };

export type ViewedDocQueryVariables = Exact<{
  docId: string;
}>;


export type ViewedDocQuery = { doc: { docId: string | null, unitId: string, title: string, units: number } | null };

export type UnitsOfDocQueryVariables = Exact<{
  filters: SearchFiltersInput;
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type UnitsOfDocQuery = { units: { nextCursor: number | null, units: Array<{ unitId: string, docId: string | null, externalId: string | null, title: string | null, text: string | null, scope: string, plane: Plane, modality: Modality, mime: string | null, sourceUri: string | null, metadata: Record<string, unknown>, createdAt: number, updatedAt: number, version: number, readers: Array<{ kind: ReaderKind, id: string, name: string | null }>, locator:
        | { __typename: 'BoundingBox', page: number | null, x: number, y: number, w: number, h: number }
        | { __typename: 'CharSpan', start: number, end: number }
        | { __typename: 'LineRange', start: number, end: number }
        | { __typename: 'TimeRange', tStartMs: number, tEndMs: number }
       | null }> } | null };

export type SourceLinkQueryVariables = Exact<{
  unitId: string;
  rendition?: SourceRendition | null | undefined;
}>;


export type SourceLinkQuery = { sourceLink: { url: string, expiresAt: number, mime: string, bytes: number, name: string | null, inline: boolean } | null };

export type ViewUnitFragment = { unitId: string, docId: string | null, externalId: string | null, title: string | null, text: string | null, scope: string, plane: Plane, modality: Modality, mime: string | null, sourceUri: string | null, metadata: Record<string, unknown>, createdAt: number, updatedAt: number, version: number, readers: Array<{ kind: ReaderKind, id: string, name: string | null }>, locator:
    | { __typename: 'BoundingBox', page: number | null, x: number, y: number, w: number, h: number }
    | { __typename: 'CharSpan', start: number, end: number }
    | { __typename: 'LineRange', start: number, end: number }
    | { __typename: 'TimeRange', tStartMs: number, tEndMs: number }
   | null };

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
export const ViewUnitFragmentDoc = new TypedDocumentString(`
    fragment ViewUnit on Unit {
  unitId
  docId
  externalId
  title
  text
  scope
  plane
  modality
  mime
  sourceUri
  metadata
  createdAt
  updatedAt
  version
  readers {
    kind
    id
    name
  }
  locator {
    __typename
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
    ... on CharSpan {
      start
      end
    }
    ... on LineRange {
      start
      end
    }
  }
}
    `, {"fragmentName":"ViewUnit"}) as unknown as TypedDocumentString<ViewUnitFragment, unknown>;
export const ViewedUnitDocument = new TypedDocumentString(`
    query ViewedUnit($unitId: String!) {
  unit(unitId: $unitId) {
    ...ViewUnit
  }
}
    fragment ViewUnit on Unit {
  unitId
  docId
  externalId
  title
  text
  scope
  plane
  modality
  mime
  sourceUri
  metadata
  createdAt
  updatedAt
  version
  readers {
    kind
    id
    name
  }
  locator {
    __typename
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
    ... on CharSpan {
      start
      end
    }
    ... on LineRange {
      start
      end
    }
  }
}`, {"hash":"sha256:bad395838b7d65f2aed95dd96b9783b294c932eaca8f502ec88a9ff2642a3f93"}) as unknown as TypedDocumentString<ViewedUnitQuery, ViewedUnitQueryVariables>;
export const ViewedDocDocument = new TypedDocumentString(`
    query ViewedDoc($docId: String!) {
  doc(docId: $docId) {
    docId
    unitId
    title
    units
  }
}
    `, {"hash":"sha256:2895b950992d3e3d3d72984f960d32360d1b9abcdaf5c9d5bdfb88c0084373f2"}) as unknown as TypedDocumentString<ViewedDocQuery, ViewedDocQueryVariables>;
export const UnitsOfDocDocument = new TypedDocumentString(`
    query UnitsOfDoc($filters: SearchFiltersInput!, $cursor: SafeInt, $limit: Int) {
  units(filters: $filters, cursor: $cursor, limit: $limit) {
    nextCursor
    units {
      ...ViewUnit
    }
  }
}
    fragment ViewUnit on Unit {
  unitId
  docId
  externalId
  title
  text
  scope
  plane
  modality
  mime
  sourceUri
  metadata
  createdAt
  updatedAt
  version
  readers {
    kind
    id
    name
  }
  locator {
    __typename
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
    ... on CharSpan {
      start
      end
    }
    ... on LineRange {
      start
      end
    }
  }
}`, {"hash":"sha256:cb525d14af956f578d56cfa1e13cf6ad11d11dc1f7745534a2930372b320c5a9"}) as unknown as TypedDocumentString<UnitsOfDocQuery, UnitsOfDocQueryVariables>;
export const SourceLinkDocument = new TypedDocumentString(`
    query SourceLink($unitId: String!, $rendition: SourceRendition) {
  sourceLink(unitId: $unitId, rendition: $rendition) {
    url
    expiresAt
    mime
    bytes
    name
    inline
  }
}
    `, {"hash":"sha256:a7cbe98578bea3c4609fb3a5c47aaf1b700198033c297ec7a52213fdceae99aa"}) as unknown as TypedDocumentString<SourceLinkQuery, SourceLinkQueryVariables>;