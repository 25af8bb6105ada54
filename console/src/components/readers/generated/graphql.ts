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

/** Conditions that must all match. At least one is required. */
export type UnitFilterInput = {
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
  /** This scope and those below it. 1 to 256 characters. Pattern: `^(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})(\/(\.*[A-Za-z0-9_-][A-Za-z0-9._-]*|\.{3,})){0,7}$`. */
  scope?: string | null | undefined;
  /** Raw sources. */
  sourceUri?: unknown;
  /** Time range that must overlap. */
  timeRange?: TimeRangeInput | null | undefined;
  /** When it was last changed. */
  updatedAt?: unknown;
};

/** Which Units to open, and to whom: one of `filter`, `docId` and `ids`. */
export type UpdateReadersInput = {
  /** All groups that may read them; `user:<principal_id>` is one principal. With an empty list, only their owners may. At most 64 items. Each item: 1 to 128 characters. */
  aclGroups?: Array<string> | null | undefined;
  /** Their new owner. 1 to 128 characters. */
  aclOwner?: string | null | undefined;
  /** The Units of this document. 1 to 128 characters. */
  docId?: string | null | undefined;
  /** Conditions on Units. */
  filter?: UnitFilterInput | null | undefined;
  /** Ids, or external ids of Units that the caller ingested. Unknown and hidden ones are ignored. 1 to 10,000 items. Each item: 1 to 128 characters. */
  ids?: Array<string> | null | undefined;
};

export type DirectoryGroupsQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type DirectoryGroupsQuery = { groups: { count: number, nextCursor: number | null, groups: Array<{ name: string, displayName: string | null }> } | null };

export type DirectoryPrincipalsQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type DirectoryPrincipalsQuery = { principals: { count: number, nextCursor: number | null, principals: Array<{ principalId: string, name: string | null, email: string | null }> } | null };

export type DirectoryGuestsQueryVariables = Exact<{
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type DirectoryGuestsQuery = { grants: { count: number, nextCursor: number | null, grants: Array<{ principalId: string, principalName: string | null }> } | null };

export type MembersOfGroupQueryVariables = Exact<{
  name: string;
  cursor?: number | null | undefined;
  limit?: number | null | undefined;
}>;


export type MembersOfGroupQuery = { groupMembers: { count: number, nextCursor: number | null, members: Array<{ principalId: string, name: string | null, direct: boolean }> } | null };

export type ExplainReaderQueryVariables = Exact<{
  principalId: string;
  unitId: string;
}>;


export type ExplainReaderQuery = { explainAccess: { read: { allowed: boolean, reasons: Array<{ code: AccessReasonCode, detail: string, effect: AccessReasonEffect }> } } | null };

export type UpdateReadersMutationVariables = Exact<{
  input: UpdateReadersInput;
}>;


export type UpdateReadersMutation = { updateReaders: { matched: number, indexed: boolean } | null };

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

export const DirectoryGroupsDocument = new TypedDocumentString(`
    query DirectoryGroups($cursor: SafeInt, $limit: Int) {
  groups(cursor: $cursor, limit: $limit) {
    count
    nextCursor
    groups {
      name
      displayName
    }
  }
}
    `, {"hash":"sha256:cbdcc644619e8f9474a0a1418ad9a72384ef0abf6a149fc21b590932e8c9c06a"}) as unknown as TypedDocumentString<DirectoryGroupsQuery, DirectoryGroupsQueryVariables>;
export const DirectoryPrincipalsDocument = new TypedDocumentString(`
    query DirectoryPrincipals($cursor: SafeInt, $limit: Int) {
  principals(cursor: $cursor, limit: $limit) {
    count
    nextCursor
    principals {
      principalId
      name
      email
    }
  }
}
    `, {"hash":"sha256:cf205477b2e481dd233c5dba0ea2ba61024116672b4245b00f094fc53789f69f"}) as unknown as TypedDocumentString<DirectoryPrincipalsQuery, DirectoryPrincipalsQueryVariables>;
export const DirectoryGuestsDocument = new TypedDocumentString(`
    query DirectoryGuests($cursor: SafeInt, $limit: Int) {
  grants(cursor: $cursor, limit: $limit) {
    count
    nextCursor
    grants {
      principalId
      principalName
    }
  }
}
    `, {"hash":"sha256:cdd48085df284f39e9fd5ede4e23e6fc5ba015674b837d3db5e40bcc89ac9f48"}) as unknown as TypedDocumentString<DirectoryGuestsQuery, DirectoryGuestsQueryVariables>;
export const MembersOfGroupDocument = new TypedDocumentString(`
    query MembersOfGroup($name: String!, $cursor: SafeInt, $limit: Int) {
  groupMembers(name: $name, cursor: $cursor, limit: $limit) {
    count
    nextCursor
    members {
      principalId
      name
      direct
    }
  }
}
    `, {"hash":"sha256:c4b0148aba60b7269d5dd448146921c15ae443f3400f01505946c2d45e81cb93"}) as unknown as TypedDocumentString<MembersOfGroupQuery, MembersOfGroupQueryVariables>;
export const ExplainReaderDocument = new TypedDocumentString(`
    query ExplainReader($principalId: String!, $unitId: String!) {
  explainAccess(principalId: $principalId, unitId: $unitId) {
    read {
      allowed
      reasons {
        code
        detail
        effect
      }
    }
  }
}
    `, {"hash":"sha256:0ae7a64d0c1f3f61d2f56b7e3138e8fe589282ec7a36e200079fc21c0636caff"}) as unknown as TypedDocumentString<ExplainReaderQuery, ExplainReaderQueryVariables>;
export const UpdateReadersDocument = new TypedDocumentString(`
    mutation UpdateReaders($input: UpdateReadersInput!) {
  updateReaders(input: $input) {
    matched
    indexed
  }
}
    `, {"hash":"sha256:14a51fe34e5bbaa3f1e6b8fc5b58419d2e41dd7a3bba255efe9fe770e8fb54b4"}) as unknown as TypedDocumentString<UpdateReadersMutation, UpdateReadersMutationVariables>;