/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A source to upload. */
export type CreateUploadInput = {
  /** Size, at most `MAX_SOURCE_MB`. At least 1. */
  bytes: number;
  /** Content type. It decides between kinds of text only. 1 to 255 characters. */
  mime?: string | null | undefined;
  /** File name. 1 to 255 characters. */
  name?: string | null | undefined;
  /** SHA-256 of the bytes, in hex: other bytes are refused. Pattern: `^[0-9a-fA-F]{64}$`. */
  sha256?: string | null | undefined;
};

/** Why a document could not be taken in. */
export type DocumentReason =
  /** There is nothing in it. */
  | 'empty'
  /** Its writer may not write there any more. */
  | 'forbidden'
  /** The service failed. */
  | 'internal'
  /** It needs a password. */
  | 'locked'
  /** It is not what it claims to be. */
  | 'malformed'
  /** Parsing needed too much memory. */
  | 'out_of_memory'
  /** The tier allows no more documents. */
  | 'quota_exceeded'
  /** The source is gone. */
  | 'source_missing'
  /** Parsing took too long. */
  | 'timeout'
  /** It is above a limit of size, entries, pages or levels. */
  | 'too_large'
  /** It has more than 10,000 Units. */
  | 'too_many_units'
  /** The format is not supported. */
  | 'unsupported'
  /** The tier does not include its planes. */
  | 'upgrade_required';

/** How far the service is with a document. */
export type DocumentStatus =
  /** Its last version could not be taken in; `reason` says why. The version before it is still found. */
  | 'failed'
  /** It waits to be parsed. */
  | 'queued'
  /** Its Units are found. */
  | 'ready'
  /** It is being parsed. */
  | 'running';

/** A file that was uploaded, and how its Units are to be. */
export type IngestDocumentInput = {
  /** Groups that may read it; `*` is everyone who may read the scope. At most 64 items. Each item: 1 to 128 characters. Default: `[]`. */
  aclGroups?: Array<string> | null | undefined;
  /** Default: the name. 1 to 128 characters. */
  docId?: string | null | undefined;
  /** true parses even what is unchanged. Default: `false`. */
  force?: boolean | null | undefined;
  /** What its Units carry, at most 16 KiB. At most 64 keys. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The path of the file: its Units' `metadata.path`. Default: the name of the source. 1 to 1,024 characters. */
  name?: string | null | undefined;
  /** Where its Units go, by the rules of `ingest`. 1 to 256 characters. Pattern: `^(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7}$`. */
  scope?: string | null | undefined;
  /** Text that belongs to a picture or recording: plain, or `{text, title, metadata}`. At most 262,144 characters. */
  sidecar?: string | null | undefined;
  /** A source that the caller uploaded. 1 to 2,048 characters. */
  sourceUri: string;
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

/** Units whose `time_range` locator overlaps this one. */
export type TimeRangeInput = {
  /** Last millisecond. At least 0. */
  tEndMs: number;
  /** First millisecond. At least 0. */
  tStartMs: number;
};

export type DocsQueryVariables = Exact<{
  prefix?: string | null | undefined;
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type DocsQuery = { docs: { count: number, nextCursor: number | null, docs: Array<{ docId: string | null, unitId: string, title: string, scopes: Array<string>, planes: Array<Plane>, mime: string | null, units: number, updatedAt: number, readers: Array<{ kind: ReaderKind, id: string, name: string | null }> | null }> } | null };

export type ListedUnitsQueryVariables = Exact<{
  filters?: SearchFiltersInput | null | undefined;
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListedUnitsQuery = { units: { hiddenByAcl: number, nextCursor: number | null, units: Array<{ unitId: string, docId: string | null, externalId: string | null, title: string | null, text: string | null, scope: string, plane: Plane, modality: Modality, createdAt: number, readers: Array<{ kind: ReaderKind, id: string, name: string | null }> }> } | null };

export type ListedUnitsAsQueryVariables = Exact<{
  principalId: string;
  filters?: SearchFiltersInput | null | undefined;
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListedUnitsAsQuery = { unitsAs: { nextCursor: number | null, context: { requestedScope: string, allowedScopes: Array<string> }, units: Array<{ unitId: string, docId: string | null, externalId: string | null, title: string | null, text: string | null, scope: string, plane: Plane, modality: Modality, createdAt: number, readers: Array<{ kind: ReaderKind, id: string, name: string | null }> }> } | null };

export type ListedUnitFragment = { unitId: string, docId: string | null, externalId: string | null, title: string | null, text: string | null, scope: string, plane: Plane, modality: Modality, createdAt: number, readers: Array<{ kind: ReaderKind, id: string, name: string | null }> };

export type RunsOfQueryVariables = Exact<{
  scope?: string | null | undefined;
  status?: DocumentStatus | null | undefined;
}>;


export type RunsOfQuery = { documents: { documents: Array<{ documentId: string, docId: string, name: string, scope: string, mime: string, bytes: number, status: DocumentStatus, reason: DocumentReason | null, detail: string | null, units: number, attempts: number, parent: string | null, updatedAt: number }> } | null };

export type DocumentChangesSubscriptionVariables = Exact<{
  documentIds?: Array<string> | string | null | undefined;
}>;


export type DocumentChangesSubscription = { documentChanges: { documentId: string, docId: string, name: string, scope: string, mime: string, bytes: number, status: DocumentStatus, reason: DocumentReason | null, detail: string | null, units: number, attempts: number, parent: string | null, updatedAt: number } };

export type CreateUploadMutationVariables = Exact<{
  input: CreateUploadInput;
}>;


export type CreateUploadMutation = { createUpload: { url: string } | null };

export type IngestDocumentMutationVariables = Exact<{
  input: IngestDocumentInput;
}>;


export type IngestDocumentMutation = { ingestDocument: { documentId: string, docId: string, name: string, scope: string, mime: string, bytes: number, status: DocumentStatus, reason: DocumentReason | null, detail: string | null, units: number, attempts: number, parent: string | null, updatedAt: number } | null };

export type RetryDocumentsMutationVariables = Exact<{
  documentIds: Array<string> | string;
}>;


export type RetryDocumentsMutation = { retryDocuments: Array<{ documentId: string, docId: string, name: string, scope: string, mime: string, bytes: number, status: DocumentStatus, reason: DocumentReason | null, detail: string | null, units: number, attempts: number, parent: string | null, updatedAt: number }> | null };

export type RunFragment = { documentId: string, docId: string, name: string, scope: string, mime: string, bytes: number, status: DocumentStatus, reason: DocumentReason | null, detail: string | null, units: number, attempts: number, parent: string | null, updatedAt: number };

export type UploadOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type UploadOptionsQuery = { uploadOptions: { maxBytes: number, formats: Array<{ name: string, extensions: Array<string> }> } | null };

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
export const ListedUnitFragmentDoc = new TypedDocumentString(`
    fragment ListedUnit on Unit {
  unitId
  docId
  externalId
  title
  text
  scope
  plane
  modality
  createdAt
  readers {
    kind
    id
    name
  }
}
    `, {"fragmentName":"ListedUnit"}) as unknown as TypedDocumentString<ListedUnitFragment, unknown>;
export const RunFragmentDoc = new TypedDocumentString(`
    fragment Run on Document {
  documentId
  docId
  name
  scope
  mime
  bytes
  status
  reason
  detail
  units
  attempts
  parent
  updatedAt
}
    `, {"fragmentName":"Run"}) as unknown as TypedDocumentString<RunFragment, unknown>;
export const DocsDocument = new TypedDocumentString(`
    query Docs($prefix: String, $cursor: SafeInt, $limit: Int) {
  docs(prefix: $prefix, cursor: $cursor, limit: $limit) {
    count
    nextCursor
    docs {
      docId
      unitId
      title
      scopes
      planes
      mime
      units
      updatedAt
      readers {
        kind
        id
        name
      }
    }
  }
}
    `, {"hash":"sha256:79e06e8d3aadc915e64ff66f540ba20386118dd0cd806d567d5709ff8ac900e1"}) as unknown as TypedDocumentString<DocsQuery, DocsQueryVariables>;
export const ListedUnitsDocument = new TypedDocumentString(`
    query ListedUnits($filters: SearchFiltersInput, $cursor: SafeInt, $limit: Int) {
  units(filters: $filters, cursor: $cursor, limit: $limit) {
    hiddenByAcl
    nextCursor
    units {
      ...ListedUnit
    }
  }
}
    fragment ListedUnit on Unit {
  unitId
  docId
  externalId
  title
  text
  scope
  plane
  modality
  createdAt
  readers {
    kind
    id
    name
  }
}`, {"hash":"sha256:75cfe13ce0741c43895257260fd248d7f551fc306c7721e97bce135e79e61aa5"}) as unknown as TypedDocumentString<ListedUnitsQuery, ListedUnitsQueryVariables>;
export const ListedUnitsAsDocument = new TypedDocumentString(`
    query ListedUnitsAs($principalId: String!, $filters: SearchFiltersInput, $cursor: SafeInt, $limit: Int) {
  unitsAs(
    principalId: $principalId
    filters: $filters
    cursor: $cursor
    limit: $limit
  ) {
    context {
      requestedScope
      allowedScopes
    }
    nextCursor
    units {
      ...ListedUnit
    }
  }
}
    fragment ListedUnit on Unit {
  unitId
  docId
  externalId
  title
  text
  scope
  plane
  modality
  createdAt
  readers {
    kind
    id
    name
  }
}`, {"hash":"sha256:bdc4da58a1ed61934620b23cd519b416400f8360f33d7d415f4ac8095d558867"}) as unknown as TypedDocumentString<ListedUnitsAsQuery, ListedUnitsAsQueryVariables>;
export const RunsOfDocument = new TypedDocumentString(`
    query RunsOf($scope: String, $status: DocumentStatus) {
  documents(scope: $scope, status: $status, limit: 100) {
    documents {
      ...Run
    }
  }
}
    fragment Run on Document {
  documentId
  docId
  name
  scope
  mime
  bytes
  status
  reason
  detail
  units
  attempts
  parent
  updatedAt
}`, {"hash":"sha256:dcfe4058064a70cd313e619ba5a81f99bb50dae658999758d49d8d74d4af274c"}) as unknown as TypedDocumentString<RunsOfQuery, RunsOfQueryVariables>;
export const DocumentChangesDocument = new TypedDocumentString(`
    subscription DocumentChanges($documentIds: [String!]) {
  documentChanges(documentIds: $documentIds) {
    ...Run
  }
}
    fragment Run on Document {
  documentId
  docId
  name
  scope
  mime
  bytes
  status
  reason
  detail
  units
  attempts
  parent
  updatedAt
}`, {"hash":"sha256:000aa65b213ecae54f02470c300ac1ef941c265c8f9b42b8c206f5a71bfe43eb"}) as unknown as TypedDocumentString<DocumentChangesSubscription, DocumentChangesSubscriptionVariables>;
export const CreateUploadDocument = new TypedDocumentString(`
    mutation CreateUpload($input: CreateUploadInput!) {
  createUpload(input: $input) {
    url
  }
}
    `, {"hash":"sha256:73b0a31f81e27797771dea40bea91a436ca46a8e28780e125ae0f4572cc6754b"}) as unknown as TypedDocumentString<CreateUploadMutation, CreateUploadMutationVariables>;
export const IngestDocumentDocument = new TypedDocumentString(`
    mutation IngestDocument($input: IngestDocumentInput!) {
  ingestDocument(input: $input) {
    ...Run
  }
}
    fragment Run on Document {
  documentId
  docId
  name
  scope
  mime
  bytes
  status
  reason
  detail
  units
  attempts
  parent
  updatedAt
}`, {"hash":"sha256:649d1a04626dd3bf78cf307602e7e95b2ad60b26ff2183478c6ba38c759fa5e5"}) as unknown as TypedDocumentString<IngestDocumentMutation, IngestDocumentMutationVariables>;
export const RetryDocumentsDocument = new TypedDocumentString(`
    mutation RetryDocuments($documentIds: [String!]!) {
  retryDocuments(documentIds: $documentIds) {
    ...Run
  }
}
    fragment Run on Document {
  documentId
  docId
  name
  scope
  mime
  bytes
  status
  reason
  detail
  units
  attempts
  parent
  updatedAt
}`, {"hash":"sha256:27d2bfdab210a267c03994ae993ce31783a6113ba3340753bf452618f8ec081e"}) as unknown as TypedDocumentString<RetryDocumentsMutation, RetryDocumentsMutationVariables>;
export const UploadOptionsDocument = new TypedDocumentString(`
    query UploadOptions {
  uploadOptions {
    maxBytes
    formats {
      name
      extensions
    }
  }
}
    `, {"hash":"sha256:b2657e378b7f8451792981893da0c306f81352e7d9e33509f42956dc455ff4b2"}) as unknown as TypedDocumentString<UploadOptionsQuery, UploadOptionsQueryVariables>;