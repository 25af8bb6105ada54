/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A namespace to register or claim. */
export type CreateNamespaceInput = {
  /** The name. At most 63 characters. Pattern: `^[a-z0-9][a-z0-9-]{1,62}$`. */
  namespace: string;
};

/** A scope to register. */
export type CreateScopeInput = {
  /** Path of 1-8 segments of `[A-Za-z0-9._-]`. 1 to 256 characters. Pattern: `^(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7}$`. */
  scope: string;
};

/** What `hiddenByAcl` says of Units that match, and that the caller may not read. */
export type HiddenCount =
  /** How many there are. */
  | 'exact'
  /** Nothing: it is always 0. */
  | 'off'
  /** Whether there are any: it is 0 or 1. */
  | 'some';

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

/** The new owner of a namespace. */
export type TransferNamespaceInput = {
  /** The name of a registered namespace. 1 to 63 characters. */
  namespace: string;
  /** The new owner, from any home namespace. It must not be read-only. 1 to 128 characters. */
  principalId: string;
};

/** Changes to a namespace. Fields that are left out keep their values. */
export type UpdateNamespaceInput = {
  /** The most that answers say of hidden Units. */
  hiddenCount?: HiddenCount | null | undefined;
  /** The name. */
  namespace: string;
};

/** Changes to a scope. Fields that are left out keep their values. */
export type UpdateScopeInput = {
  /** A registered scope above it, or null for none. 1 to 256 characters. Pattern: `^(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7}$`. */
  parent?: string | null | undefined;
  /** The planes that accept Units and are searched. Units of other planes are still listed. At least 1 item. */
  planes?: Array<Plane> | null | undefined;
  /** If true, agents may only read here and below, whatever their grants. */
  readOnlyAgents?: boolean | null | undefined;
};

export type ScopesQueryVariables = Exact<{
  cursor?: number | null | undefined;
}>;


export type ScopesQuery = { scopes: { count: number, nextCursor: number | null, scopes: Array<{ scope: string, parent: string | null, planes: Array<Plane>, readOnlyAgents: boolean, createdAt: number }> } | null };

export type OwnNamespaceQueryVariables = Exact<{
  name: string;
}>;


export type OwnNamespaceQuery = { namespace: { namespace: string, tier: string, owner: string | null, home: boolean, registered: boolean, planes: Array<Plane>, maxNamespaces: number | null, hiddenCount: HiddenCount, createdAt: number } | null };

export type SettingsQueryVariables = Exact<{
  name: string;
}>;


export type SettingsQuery = { namespace: { namespace: string, tier: string, owner: string | null, home: boolean, registered: boolean, planes: Array<Plane>, maxNamespaces: number | null, hiddenCount: HiddenCount, createdAt: number } | null, scopes: { count: number, nextCursor: number | null, scopes: Array<{ scope: string, parent: string | null, planes: Array<Plane>, readOnlyAgents: boolean, createdAt: number }> } | null };

export type SettingsOfScopesFragment = { count: number, nextCursor: number | null, scopes: Array<{ scope: string, parent: string | null, planes: Array<Plane>, readOnlyAgents: boolean, createdAt: number }> };

export type SettingsOfNamespaceFragment = { namespace: string, tier: string, owner: string | null, home: boolean, registered: boolean, planes: Array<Plane>, maxNamespaces: number | null, hiddenCount: HiddenCount, createdAt: number };

export type CreateScopeMutationVariables = Exact<{
  input: CreateScopeInput;
}>;


export type CreateScopeMutation = { createScope: { scope: string } | null };

export type UpdateScopeMutationVariables = Exact<{
  scope: string;
  input: UpdateScopeInput;
}>;


export type UpdateScopeMutation = { updateScope: { scope: string, planes: Array<Plane>, readOnlyAgents: boolean } | null };

export type DeleteScopeMutationVariables = Exact<{
  scope: string;
}>;


export type DeleteScopeMutation = { deleteScope: { deleted: boolean, scopes: number, grants: number } | null };

export type CreateNamespaceMutationVariables = Exact<{
  input: CreateNamespaceInput;
}>;


export type CreateNamespaceMutation = { createNamespace: { namespace: string } | null };

export type UpdateNamespaceMutationVariables = Exact<{
  input: UpdateNamespaceInput;
}>;


export type UpdateNamespaceMutation = { updateNamespace: { namespace: string, hiddenCount: HiddenCount } | null };

export type TransferNamespaceMutationVariables = Exact<{
  input: TransferNamespaceInput;
}>;


export type TransferNamespaceMutation = { transferNamespace: { namespace: string, owner: string | null } | null };

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
export const SettingsOfScopesFragmentDoc = new TypedDocumentString(`
    fragment SettingsOfScopes on ScopePage {
  count
  nextCursor
  scopes {
    scope
    parent
    planes
    readOnlyAgents
    createdAt
  }
}
    `, {"fragmentName":"SettingsOfScopes"}) as unknown as TypedDocumentString<SettingsOfScopesFragment, unknown>;
export const SettingsOfNamespaceFragmentDoc = new TypedDocumentString(`
    fragment SettingsOfNamespace on Namespace {
  namespace
  tier
  owner
  home
  registered
  planes
  maxNamespaces
  hiddenCount
  createdAt
}
    `, {"fragmentName":"SettingsOfNamespace"}) as unknown as TypedDocumentString<SettingsOfNamespaceFragment, unknown>;
export const ScopesDocument = new TypedDocumentString(`
    query Scopes($cursor: SafeInt) {
  scopes(cursor: $cursor, limit: 100) {
    ...SettingsOfScopes
  }
}
    fragment SettingsOfScopes on ScopePage {
  count
  nextCursor
  scopes {
    scope
    parent
    planes
    readOnlyAgents
    createdAt
  }
}`, {"hash":"sha256:7d173ae169208921fa38e9fcef766a408ea1ec28fb8b2cc3cf4e5070694fb231"}) as unknown as TypedDocumentString<ScopesQuery, ScopesQueryVariables>;
export const OwnNamespaceDocument = new TypedDocumentString(`
    query OwnNamespace($name: String!) {
  namespace(name: $name) {
    ...SettingsOfNamespace
  }
}
    fragment SettingsOfNamespace on Namespace {
  namespace
  tier
  owner
  home
  registered
  planes
  maxNamespaces
  hiddenCount
  createdAt
}`, {"hash":"sha256:e5c00ca9920e4d52c325c8d39c08f085d259a51e17c01999e9f87f7f0df7ac3e"}) as unknown as TypedDocumentString<OwnNamespaceQuery, OwnNamespaceQueryVariables>;
export const SettingsDocument = new TypedDocumentString(`
    query Settings($name: String!) {
  namespace(name: $name) {
    ...SettingsOfNamespace
  }
  scopes(limit: 100) {
    ...SettingsOfScopes
  }
}
    fragment SettingsOfScopes on ScopePage {
  count
  nextCursor
  scopes {
    scope
    parent
    planes
    readOnlyAgents
    createdAt
  }
}
fragment SettingsOfNamespace on Namespace {
  namespace
  tier
  owner
  home
  registered
  planes
  maxNamespaces
  hiddenCount
  createdAt
}`, {"hash":"sha256:86b60d62ee16df4f9dc49d26d432311e6c6a0908d180f673fb43e4c7224d0b0a"}) as unknown as TypedDocumentString<SettingsQuery, SettingsQueryVariables>;
export const CreateScopeDocument = new TypedDocumentString(`
    mutation CreateScope($input: CreateScopeInput!) {
  createScope(input: $input) {
    scope
  }
}
    `, {"hash":"sha256:930f88dd58ef75cdff7ac97d8703a8ca52d59de04fc3b4852517cbc603d6564f"}) as unknown as TypedDocumentString<CreateScopeMutation, CreateScopeMutationVariables>;
export const UpdateScopeDocument = new TypedDocumentString(`
    mutation UpdateScope($scope: String!, $input: UpdateScopeInput!) {
  updateScope(scope: $scope, input: $input) {
    scope
    planes
    readOnlyAgents
  }
}
    `, {"hash":"sha256:6c156c91ce7350ef5cdcd7cfe2c4d09fc27f2c61850eba2f712b55460169de87"}) as unknown as TypedDocumentString<UpdateScopeMutation, UpdateScopeMutationVariables>;
export const DeleteScopeDocument = new TypedDocumentString(`
    mutation DeleteScope($scope: String!) {
  deleteScope(scope: $scope) {
    deleted
    scopes
    grants
  }
}
    `, {"hash":"sha256:03b6f96ae6db7f72fa9aa299d2989225e81c5ab5fdb528800dc3e3056428fb9b"}) as unknown as TypedDocumentString<DeleteScopeMutation, DeleteScopeMutationVariables>;
export const CreateNamespaceDocument = new TypedDocumentString(`
    mutation CreateNamespace($input: CreateNamespaceInput!) {
  createNamespace(input: $input) {
    namespace
  }
}
    `, {"hash":"sha256:10cf54b0f6657e41da63f87df07b3bd3e664a290ef95c50a77ce6cf2b87cf6e9"}) as unknown as TypedDocumentString<CreateNamespaceMutation, CreateNamespaceMutationVariables>;
export const UpdateNamespaceDocument = new TypedDocumentString(`
    mutation UpdateNamespace($input: UpdateNamespaceInput!) {
  updateNamespace(input: $input) {
    namespace
    hiddenCount
  }
}
    `, {"hash":"sha256:46de74561e00143e4fe7c21fd098674c2f1f528c372f91cde98d20f2a40b992c"}) as unknown as TypedDocumentString<UpdateNamespaceMutation, UpdateNamespaceMutationVariables>;
export const TransferNamespaceDocument = new TypedDocumentString(`
    mutation TransferNamespace($input: TransferNamespaceInput!) {
  transferNamespace(input: $input) {
    namespace
    owner
  }
}
    `, {"hash":"sha256:ac313376c0346e766a2622ef88c16f344f30b6769887b150631c958ca4fd3b55"}) as unknown as TypedDocumentString<TransferNamespaceMutation, TransferNamespaceMutationVariables>;