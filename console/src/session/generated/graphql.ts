/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** What a request is made with. */
export type CredentialKind =
  /** An API key of a principal. */
  | 'key'
  /** A person has signed in. */
  | 'session'
  /** Something else: the super-admin's token. */
  | 'token';

/** What a grant allows on a scope. */
export type Permission =
  /** Change and delete scopes, run compaction, manage the registries. */
  | 'admin'
  /** Search, list and get Units. */
  | 'read'
  /** Ingest, change, delete and restore Units, create scopes. */
  | 'write';

export type SessionQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionQuery = { context: { requestedScope: string, effectiveScopes: Array<string>, allowedScopes: Array<string>, perms: Array<Permission>, principal: { principalId: string, namespace: string, groups: Array<string>, readOnly: boolean } } | null };

export type NamespacesQueryVariables = Exact<{ [key: string]: never; }>;


export type NamespacesQuery = { namespaces: { count: number, namespaces: Array<{ namespace: string, tier: string, home: boolean, registered: boolean }> } | null };

export type NameOfPrincipalQueryVariables = Exact<{
  id: string;
}>;


export type NameOfPrincipalQuery = { principal: { name: string | null, email: string | null } | null, grants: { grants: Array<{ principalId: string, principalName: string | null }> } | null };

export type WhoIsSignedInQueryVariables = Exact<{ [key: string]: never; }>;


export type WhoIsSignedInQuery = { viewer: { principal: { principalId: string, name: string | null, email: string | null }, credential: { kind: CredentialKind, keyId: string | null, name: string | null } } | null };

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

export const SessionDocument = new TypedDocumentString(`
    query Session {
  context {
    requestedScope
    effectiveScopes
    allowedScopes
    perms
    principal {
      principalId
      namespace
      groups
      readOnly
    }
  }
}
    `, {"hash":"sha256:36da4bce9723a5d08af75142fe88eed9e4fcb8302ed2aad7e3710d181ceef6f6"}) as unknown as TypedDocumentString<SessionQuery, SessionQueryVariables>;
export const NamespacesDocument = new TypedDocumentString(`
    query Namespaces {
  namespaces(limit: 100) {
    count
    namespaces {
      namespace
      tier
      home
      registered
    }
  }
}
    `, {"hash":"sha256:f2007f8dad5c9ce123b2e37e8a1ccb3f84db48102c59bf67712f61546869b0d1"}) as unknown as TypedDocumentString<NamespacesQuery, NamespacesQueryVariables>;
export const NameOfPrincipalDocument = new TypedDocumentString(`
    query NameOfPrincipal($id: String!) {
  principal(id: $id) {
    name
    email
  }
  grants(limit: 100) {
    grants {
      principalId
      principalName
    }
  }
}
    `, {"hash":"sha256:443ec2d83905b1cd1ec76f01fb092dda1c84df438e537889de47590927d32590"}) as unknown as TypedDocumentString<NameOfPrincipalQuery, NameOfPrincipalQueryVariables>;
export const WhoIsSignedInDocument = new TypedDocumentString(`
    query WhoIsSignedIn {
  viewer {
    principal {
      principalId
      name
      email
    }
    credential {
      kind
      keyId
      name
    }
  }
}
    `, {"hash":"sha256:dfdee65dbdfbf1442d6a198797d689a551be6ced56cf8fe219daa58886a7bce0"}) as unknown as TypedDocumentString<WhoIsSignedInQuery, WhoIsSignedInQueryVariables>;