/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A reason why an access is allowed or denied. */
export type AccessReasonCode =
  /** A grant gives the permission there. */
  | 'grant'
  /** One of the principal's groups may read the Unit, or everyone in its scope may. */
  | 'group'
  /** The principal neither owns the Unit nor is in one of its groups. */
  | 'no_acl'
  /** No grant gives the permission there. */
  | 'no_grant'
  /** Only readable Units can be changed. */
  | 'not_readable'
  /** The principal owns the Unit. */
  | 'owner'
  /** The tier or the scope does not enable the plane of the Unit. The Unit is not found by searches, but can be fetched and listed. */
  | 'plane_closed'
  /** The principal was deleted. */
  | 'principal_deleted'
  /** The principal is read-only, whatever its grants. */
  | 'read_only'
  /** The principal is an agent, and the scope or one above it is read-only to agents. */
  | 'read_only_agents';

/** The effect of a reason on an access. */
export type AccessReasonEffect =
  /** It allows the access. */
  | 'allows'
  /** It denies the access. */
  | 'denies'
  /** It does not affect the access. */
  | 'notes';

/** Changes to a group. What is left out stays. */
export type ChangeGroupInput = {
  /** Principals of the namespace to put into it. At most 1,000 items. Without repetition. Each item: 1 to 128 characters. */
  add?: Array<string> | null | undefined;
  /** Groups whose members are then in this one as well. At most 1,000 items. Without repetition. Each item: 1 to 128 characters. */
  addGroups?: Array<string> | null | undefined;
  /** A name for people to read; empty for none. At most 128 characters. */
  displayName?: string | null | undefined;
  /** Principals to take out of it. One stays in it that another group leads to. At most 1,000 items. Without repetition. Each item: 1 to 128 characters. */
  remove?: Array<string> | null | undefined;
  /** Groups whose members are then not in this one because of them. At most 1,000 items. Without repetition. Each item: 1 to 128 characters. */
  removeGroups?: Array<string> | null | undefined;
};

/** A new API key. A restriction that is left out is inherited from the key that sends the request. Restrictions can only be narrowed. */
export type CreateApiKeyInput = {
  /** Epoch milliseconds, in the future. At most the expiry of the key that sends the request. */
  expiresAt?: number | null | undefined;
  /** The only groups of the principal that count. An empty list means none. At most 64 items. Without repetition. Each item: 1 to 128 characters. */
  groups?: Array<string> | null | undefined;
  /** The most that the key learns of hidden Units. The namespace may set less. */
  hiddenCount?: HiddenCount | null | undefined;
  /** The name. It is part of the token. At most 32 characters. Pattern: `^[A-Za-z0-9-]{1,32}$`. */
  name: string;
  /** The only permissions that the key has. 1 to 3 items. Without repetition. */
  perms?: Array<Permission> | null | undefined;
  /** The only planes that the key may use. 1 to 4 items. Without repetition. */
  planes?: Array<Plane> | null | undefined;
  /** The key may use only this scope and those below it. 1 to 256 characters. Pattern: `^(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7}$`. */
  scopePrefix?: string | null | undefined;
};

/** A new grant. */
export type CreateGrantInput = {
  /** Groups of the principal in this namespace, if it is not its home namespace. You can grant groups you belong to; the owner can grant any. At most 64 items. Without repetition. Each item: 1 to 128 characters. Default: `[]`. */
  groups?: Array<string> | null | undefined;
  /** The permissions. The caller must hold each of them on all of the scope. 1 to 3 items. Without repetition. */
  perms: Array<Permission>;
  /** The principal that receives it, from any home namespace. 1 to 128 characters. */
  principalId: string;
  /** A path, or `*` for everything. 1 to 256 characters. Pattern: `^([*]|(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7})$`. */
  scope: string;
};

/** A new invitation. */
export type CreateInvitationInput = {
  /** The only address that may accept it. Needs a service that sends mails or has an identity provider, which prove addresses. With mails, that person may sign up with the link where sign-up is closed. 3 to 254 characters. Pattern: `^[^\s@]+@[^\s@]+$`. */
  email?: string | null | undefined;
  /** Epoch milliseconds: at most seven days from now, the default, and at most the expiry of the key. */
  expiresAt?: number | null | undefined;
  /** Groups, as in `createGrant`. You can offer groups you belong to; the owner can offer any. At most 64 items. Without repetition. Each item: 1 to 128 characters. Default: `[]`. */
  groups?: Array<string> | null | undefined;
  /** The permissions. The caller must hold each of them on all of the scope. 1 to 3 items. Without repetition. */
  perms: Array<Permission>;
  /** A path, or `*` for everything. 1 to 256 characters. Pattern: `^([*]|(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7})$`. */
  scope: string;
};

/** A new principal. It has no grants yet. */
export type CreatePrincipalInput = {
  /** The scope of requests without a scope: a path or `*`. 1 to 256 characters. Pattern: `^([*]|(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7})$`. Default: `*`. */
  activeScope?: string | null | undefined;
  /** Its groups. You can grant groups you belong to; the owner of the namespace can grant any. At most 1,000 items. Without repetition. Each item: 1 to 128 characters. Default: `[]`. */
  groups?: Array<string> | null | undefined;
  /** Its kind. Default: `user`. */
  kind?: PrincipalKind | null | undefined;
  /** Its name, for people to read. 1 to 128 characters. */
  name?: string | null | undefined;
  /** Whether it may only read. Default: `false`. */
  readOnly?: boolean | null | undefined;
};

/** Where the members of a group come from. */
export type GroupSource =
  /** An identity provider, at each sign-in. */
  | 'idp'
  /** Admins put them there. */
  | 'manual'
  /** A company's directory, by SCIM. */
  | 'scim';

/** What `hiddenByAcl` says of Units that match, and that the caller may not read. */
export type HiddenCount =
  /** How many there are. */
  | 'exact'
  /** Nothing: it is always 0. */
  | 'off'
  /** Whether there are any: it is 0 or 1. */
  | 'some';

/** What became of an invitation. */
export type InvitationState =
  /** Someone accepted it. */
  | 'accepted'
  /** Its time ran out. */
  | 'expired'
  /** It can be accepted. */
  | 'open'
  /** It was revoked, or its scope deleted. */
  | 'revoked';

/** What a grant allows on a scope. */
export type Permission =
  /** Change and delete scopes, run compaction, manage the registries. */
  | 'admin'
  /** Search, list and get Units. */
  | 'read'
  /** Ingest, change, delete and restore Units, create scopes. */
  | 'write';

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

/** The kind of a principal. */
export type PrincipalKind =
  /** A program that acts autonomously. Some scopes are read-only for it. */
  | 'agent'
  /** A system. */
  | 'service'
  /** A person. */
  | 'user';

/** Changes to a principal. Fields that are left out keep their values; groups are replaced. */
export type UpdatePrincipalInput = {
  /** The scope of requests without a scope: a path or `*`. 1 to 256 characters. Pattern: `^([*]|(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7})$`. */
  activeScope?: string | null | undefined;
  /** Its groups. You can grant groups you belong to; the owner of the namespace can grant any. At most 1,000 items. Without repetition. Each item: 1 to 128 characters. */
  groups?: Array<string> | null | undefined;
  /** Its name, for people to read. 1 to 128 characters. */
  name?: string | null | undefined;
  /** Whether it may only read. */
  readOnly?: boolean | null | undefined;
};

export type PrincipalsQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type PrincipalsQuery = { principals: { count: number, nextCursor: number | null, principals: Array<{ principalId: string, name: string | null, email: string | null, kind: PrincipalKind, groups: Array<string>, readOnly: boolean, activeScope: string, namespace: string, createdAt: number }> } | null };

export type GrantsQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type GrantsQuery = { grants: { count: number, nextCursor: number | null, grants: Array<{ id: string, principalId: string, principalName: string | null, scope: string, perms: Array<Permission>, groups: Array<string>, grantedBy: string, grantedByName: string | null, createdAt: number, expiresAt: number | null }> } | null };

export type EverybodyQueryVariables = Exact<{
  limit?: number | null | undefined;
}>;


export type EverybodyQuery = { principals: { count: number, nextCursor: number | null, principals: Array<{ principalId: string, name: string | null, email: string | null, kind: PrincipalKind, groups: Array<string>, readOnly: boolean, activeScope: string, namespace: string, createdAt: number }> } | null, grants: { count: number, nextCursor: number | null, grants: Array<{ id: string, principalId: string, principalName: string | null, scope: string, perms: Array<Permission>, groups: Array<string>, grantedBy: string, grantedByName: string | null, createdAt: number, expiresAt: number | null }> } | null };

export type PrincipalPageFragment = { count: number, nextCursor: number | null, principals: Array<{ principalId: string, name: string | null, email: string | null, kind: PrincipalKind, groups: Array<string>, readOnly: boolean, activeScope: string, namespace: string, createdAt: number }> };

export type GrantPageFragment = { count: number, nextCursor: number | null, grants: Array<{ id: string, principalId: string, principalName: string | null, scope: string, perms: Array<Permission>, groups: Array<string>, grantedBy: string, grantedByName: string | null, createdAt: number, expiresAt: number | null }> };

export type ApiKeysQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type ApiKeysQuery = { apiKeys: { count: number, nextCursor: number | null, keys: Array<{ id: string, name: string, perms: Array<Permission> | null, planes: Array<Plane> | null, groups: Array<string> | null, scopePrefix: string | null, hiddenCount: HiddenCount | null, createdAt: number, expiresAt: number | null, lastUsedAt: number | null }> } | null };

export type OwnWidthQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnWidthQuery = { context: { activeScope: string, requestedScope: string, allowedScopes: Array<string>, effectiveScopes: Array<string>, perms: Array<Permission>, principal: { principalId: string, groups: Array<string>, readOnly: boolean } } | null };

export type ExplainAccessQueryVariables = Exact<{
  principalId: string;
  unitId?: string | null | undefined;
  scope?: string | null | undefined;
}>;


export type ExplainAccessQuery = { explainAccess: { principalId: string, principalName: string | null, read: { allowed: boolean, reasons: Array<{ code: AccessReasonCode, detail: string, effect: AccessReasonEffect, group: string | null, scope: string | null, grant: { scope: string, perms: Array<Permission> } | null }> }, write: { allowed: boolean, reasons: Array<{ code: AccessReasonCode, detail: string, effect: AccessReasonEffect, group: string | null, scope: string | null, grant: { scope: string, perms: Array<Permission> } | null }> } } | null };

export type VerdictFragment = { allowed: boolean, reasons: Array<{ code: AccessReasonCode, detail: string, effect: AccessReasonEffect, group: string | null, scope: string | null, grant: { scope: string, perms: Array<Permission> } | null }> };

export type CreatePrincipalMutationVariables = Exact<{
  input: CreatePrincipalInput;
}>;


export type CreatePrincipalMutation = { createPrincipal: { principalId: string, token: string } | null };

export type UpdatePrincipalMutationVariables = Exact<{
  id: string;
  input: UpdatePrincipalInput;
}>;


export type UpdatePrincipalMutation = { updatePrincipal: { principalId: string } | null };

export type DeletePrincipalMutationVariables = Exact<{
  id: string;
}>;


export type DeletePrincipalMutation = { deletePrincipal: { deleted: boolean } | null };

export type CreateGrantMutationVariables = Exact<{
  input: CreateGrantInput;
}>;


export type CreateGrantMutation = { createGrant: { id: string } | null };

export type DeleteGrantMutationVariables = Exact<{
  id: string;
}>;


export type DeleteGrantMutation = { deleteGrant: { deleted: boolean } | null };

export type CreateApiKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateApiKeyMutation = { createApiKey: { token: string, key: { id: string, name: string } } | null };

export type RevokeApiKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { id: string, revoked: boolean } | null };

export type InvitationsQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type InvitationsQuery = { invitations: { count: number, nextCursor: number | null, invitations: Array<{ id: string, email: string | null, scope: string, perms: Array<Permission>, groups: Array<string>, createdBy: string, createdByName: string | null, expiresAt: number, acceptedBy: string | null, acceptedByName: string | null, state: InvitationState }> } | null };

export type CreateInvitationMutationVariables = Exact<{
  input: CreateInvitationInput;
}>;


export type CreateInvitationMutation = { createInvitation: { url: string } | null };

export type RevokeInvitationMutationVariables = Exact<{
  id: string;
}>;


export type RevokeInvitationMutation = { revokeInvitation: { id: string, revoked: boolean } | null };

export type AddressProofQueryVariables = Exact<{ [key: string]: never; }>;


export type AddressProofQuery = { signInOptions: { oidc: boolean, passwordReset: boolean } | null };

export type GroupsQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type GroupsQuery = { groups: { count: number, nextCursor: number | null, groups: Array<{ name: string, displayName: string | null, members: number, groups: Array<string>, units: number, source: GroupSource }> } | null };

export type ChangeGroupMutationVariables = Exact<{
  name: string;
  input: ChangeGroupInput;
}>;


export type ChangeGroupMutation = { changeGroup: { name: string } | null };

export type RenameGroupMutationVariables = Exact<{
  name: string;
  newName: string;
}>;


export type RenameGroupMutation = { renameGroup: { name: string } | null };

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
export const PrincipalPageFragmentDoc = new TypedDocumentString(`
    fragment PrincipalPage on PrincipalPage {
  count
  nextCursor
  principals {
    principalId
    name
    email
    kind
    groups
    readOnly
    activeScope
    namespace
    createdAt
  }
}
    `, {"fragmentName":"PrincipalPage"}) as unknown as TypedDocumentString<PrincipalPageFragment, unknown>;
export const GrantPageFragmentDoc = new TypedDocumentString(`
    fragment GrantPage on GrantPage {
  count
  nextCursor
  grants {
    id
    principalId
    principalName
    scope
    perms
    groups
    grantedBy
    grantedByName
    createdAt
    expiresAt
  }
}
    `, {"fragmentName":"GrantPage"}) as unknown as TypedDocumentString<GrantPageFragment, unknown>;
export const VerdictFragmentDoc = new TypedDocumentString(`
    fragment Verdict on AccessVerdict {
  allowed
  reasons {
    code
    detail
    effect
    grant {
      scope
      perms
    }
    group
    scope
  }
}
    `, {"fragmentName":"Verdict"}) as unknown as TypedDocumentString<VerdictFragment, unknown>;
export const PrincipalsDocument = new TypedDocumentString(`
    query Principals($cursor: SafeInt, $limit: Int) {
  principals(cursor: $cursor, limit: $limit) {
    ...PrincipalPage
  }
}
    fragment PrincipalPage on PrincipalPage {
  count
  nextCursor
  principals {
    principalId
    name
    email
    kind
    groups
    readOnly
    activeScope
    namespace
    createdAt
  }
}`, {"hash":"sha256:b758e88675c0e818c45834b702641b1103dba30b2dfa3c35f978a4019d00e692"}) as unknown as TypedDocumentString<PrincipalsQuery, PrincipalsQueryVariables>;
export const GrantsDocument = new TypedDocumentString(`
    query Grants($cursor: SafeInt, $limit: Int) {
  grants(cursor: $cursor, limit: $limit) {
    ...GrantPage
  }
}
    fragment GrantPage on GrantPage {
  count
  nextCursor
  grants {
    id
    principalId
    principalName
    scope
    perms
    groups
    grantedBy
    grantedByName
    createdAt
    expiresAt
  }
}`, {"hash":"sha256:027df6fdb3dfe6375f326dd146dae8c9147ca463ab947de4b4046cfe1e89e04a"}) as unknown as TypedDocumentString<GrantsQuery, GrantsQueryVariables>;
export const EverybodyDocument = new TypedDocumentString(`
    query Everybody($limit: Int) {
  principals(limit: $limit) {
    ...PrincipalPage
  }
  grants(limit: $limit) {
    ...GrantPage
  }
}
    fragment PrincipalPage on PrincipalPage {
  count
  nextCursor
  principals {
    principalId
    name
    email
    kind
    groups
    readOnly
    activeScope
    namespace
    createdAt
  }
}
fragment GrantPage on GrantPage {
  count
  nextCursor
  grants {
    id
    principalId
    principalName
    scope
    perms
    groups
    grantedBy
    grantedByName
    createdAt
    expiresAt
  }
}`, {"hash":"sha256:d3b0b489acdda6c80274d86171ca2551057d20f83a5a89bcdc1ee0de8e240cbc"}) as unknown as TypedDocumentString<EverybodyQuery, EverybodyQueryVariables>;
export const ApiKeysDocument = new TypedDocumentString(`
    query ApiKeys($cursor: SafeInt, $limit: Int) {
  apiKeys(cursor: $cursor, limit: $limit) {
    count
    nextCursor
    keys {
      id
      name
      perms
      planes
      groups
      scopePrefix
      hiddenCount
      createdAt
      expiresAt
      lastUsedAt
    }
  }
}
    `, {"hash":"sha256:1083dd8ee910a9eadf9bc246919f1bf0ea919913f72656fabf512264218ba504"}) as unknown as TypedDocumentString<ApiKeysQuery, ApiKeysQueryVariables>;
export const OwnWidthDocument = new TypedDocumentString(`
    query OwnWidth {
  context {
    activeScope
    requestedScope
    allowedScopes
    effectiveScopes
    perms
    principal {
      principalId
      groups
      readOnly
    }
  }
}
    `, {"hash":"sha256:e7599347854274e266df65f01d59ee86161c296df46250c1a3a18f25a18ac710"}) as unknown as TypedDocumentString<OwnWidthQuery, OwnWidthQueryVariables>;
export const ExplainAccessDocument = new TypedDocumentString(`
    query ExplainAccess($principalId: String!, $unitId: String, $scope: String) {
  explainAccess(principalId: $principalId, unitId: $unitId, scope: $scope) {
    principalId
    principalName
    read {
      ...Verdict
    }
    write {
      ...Verdict
    }
  }
}
    fragment Verdict on AccessVerdict {
  allowed
  reasons {
    code
    detail
    effect
    grant {
      scope
      perms
    }
    group
    scope
  }
}`, {"hash":"sha256:f05941270fabd8c12615d8487ee54da2a56b2db7808a5ae755d4cdc47e35cfe6"}) as unknown as TypedDocumentString<ExplainAccessQuery, ExplainAccessQueryVariables>;
export const CreatePrincipalDocument = new TypedDocumentString(`
    mutation CreatePrincipal($input: CreatePrincipalInput!) {
  createPrincipal(input: $input) {
    principalId
    token
  }
}
    `, {"hash":"sha256:273cd5a8e20833e58105afd160e9aad5edbdff57419182079dbbc7d666487133"}) as unknown as TypedDocumentString<CreatePrincipalMutation, CreatePrincipalMutationVariables>;
export const UpdatePrincipalDocument = new TypedDocumentString(`
    mutation UpdatePrincipal($id: String!, $input: UpdatePrincipalInput!) {
  updatePrincipal(id: $id, input: $input) {
    principalId
  }
}
    `, {"hash":"sha256:ab602a45bbe10a073b28ecd0687490e448b6f712223f0f20d1fabe3fc3f1176c"}) as unknown as TypedDocumentString<UpdatePrincipalMutation, UpdatePrincipalMutationVariables>;
export const DeletePrincipalDocument = new TypedDocumentString(`
    mutation DeletePrincipal($id: String!) {
  deletePrincipal(id: $id) {
    deleted
  }
}
    `, {"hash":"sha256:210cbe08df3bc18a5d95e514e9dc3450319cdcc1ec317c3f361268cea9a26831"}) as unknown as TypedDocumentString<DeletePrincipalMutation, DeletePrincipalMutationVariables>;
export const CreateGrantDocument = new TypedDocumentString(`
    mutation CreateGrant($input: CreateGrantInput!) {
  createGrant(input: $input) {
    id
  }
}
    `, {"hash":"sha256:2b62c83a32607f92086789adcff915e02b0b2230064c472aa47f90a158a68348"}) as unknown as TypedDocumentString<CreateGrantMutation, CreateGrantMutationVariables>;
export const DeleteGrantDocument = new TypedDocumentString(`
    mutation DeleteGrant($id: String!) {
  deleteGrant(id: $id) {
    deleted
  }
}
    `, {"hash":"sha256:0d6afca9c80fc886939448feb26534d9979b78dbdb91bf1c46492c98b1f86905"}) as unknown as TypedDocumentString<DeleteGrantMutation, DeleteGrantMutationVariables>;
export const CreateApiKeyDocument = new TypedDocumentString(`
    mutation CreateApiKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    token
    key {
      id
      name
    }
  }
}
    `, {"hash":"sha256:00b85c05218638f887ad74dd1e655fbb539c31499d5215dae08fc7094e032b62"}) as unknown as TypedDocumentString<CreateApiKeyMutation, CreateApiKeyMutationVariables>;
export const RevokeApiKeyDocument = new TypedDocumentString(`
    mutation RevokeApiKey($id: String!) {
  revokeApiKey(id: $id) {
    id
    revoked
  }
}
    `, {"hash":"sha256:0434164b1e79e12d9f3652c8aeb5dce2348a19707b0b43189d4dc81bada55e78"}) as unknown as TypedDocumentString<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;
export const InvitationsDocument = new TypedDocumentString(`
    query Invitations($cursor: SafeInt, $limit: Int) {
  invitations(cursor: $cursor, limit: $limit) {
    count
    nextCursor
    invitations {
      id
      email
      scope
      perms
      groups
      createdBy
      createdByName
      expiresAt
      acceptedBy
      acceptedByName
      state
    }
  }
}
    `, {"hash":"sha256:84bf9beb9f75e8c49f66c7a96c7f356d6380e186537c968e21be5b230e18195a"}) as unknown as TypedDocumentString<InvitationsQuery, InvitationsQueryVariables>;
export const CreateInvitationDocument = new TypedDocumentString(`
    mutation CreateInvitation($input: CreateInvitationInput!) {
  createInvitation(input: $input) {
    url
  }
}
    `, {"hash":"sha256:adccf5242f9a54781cea36448e9b7d3debcba96af39c7f4fb8276817fd022a43"}) as unknown as TypedDocumentString<CreateInvitationMutation, CreateInvitationMutationVariables>;
export const RevokeInvitationDocument = new TypedDocumentString(`
    mutation RevokeInvitation($id: String!) {
  revokeInvitation(id: $id) {
    id
    revoked
  }
}
    `, {"hash":"sha256:441e6d771e35ca5c015d47a9eca610946398e0f9514f72a2bff8fe10dbe73635"}) as unknown as TypedDocumentString<RevokeInvitationMutation, RevokeInvitationMutationVariables>;
export const AddressProofDocument = new TypedDocumentString(`
    query AddressProof {
  signInOptions {
    oidc
    passwordReset
  }
}
    `, {"hash":"sha256:081ae3057f0880e5fe07aaa5ae3f7d2ef4df38f2d321e00cc01004f01cf8fc1b"}) as unknown as TypedDocumentString<AddressProofQuery, AddressProofQueryVariables>;
export const GroupsDocument = new TypedDocumentString(`
    query Groups($cursor: SafeInt, $limit: Int) {
  groups(cursor: $cursor, limit: $limit) {
    count
    nextCursor
    groups {
      name
      displayName
      members
      groups
      units
      source
    }
  }
}
    `, {"hash":"sha256:d1d944c0ec7019d65df1336c523152ec26a9c9f6e8722206b86555e342bc08ae"}) as unknown as TypedDocumentString<GroupsQuery, GroupsQueryVariables>;
export const ChangeGroupDocument = new TypedDocumentString(`
    mutation ChangeGroup($name: String!, $input: ChangeGroupInput!) {
  changeGroup(name: $name, input: $input) {
    name
  }
}
    `, {"hash":"sha256:61d8aabcbee1474f844728c764669872de7ed9e53b03dee64c65596d85174caf"}) as unknown as TypedDocumentString<ChangeGroupMutation, ChangeGroupMutationVariables>;
export const RenameGroupDocument = new TypedDocumentString(`
    mutation RenameGroup($name: String!, $newName: String!) {
  renameGroup(name: $name, newName: $newName) {
    name
  }
}
    `, {"hash":"sha256:f3385840c8a6a04203fd409eb9afc70c60e6bddc167e7a65038dd9998ab337dc"}) as unknown as TypedDocumentString<RenameGroupMutation, RenameGroupMutationVariables>;