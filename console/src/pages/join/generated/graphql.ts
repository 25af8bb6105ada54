/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** What a grant allows on a scope. */
export type Permission =
  /** Change and delete scopes, run compaction, manage the registries. */
  | 'admin'
  /** Search, list and get Units. */
  | 'read'
  /** Ingest, change, delete and restore Units, create scopes. */
  | 'write';

export type OfferQueryVariables = Exact<{
  token: string;
}>;


export type OfferQuery = { invitation: { namespace: string, scope: string, perms: Array<Permission>, createdBy: string, createdByName: string | null, expiresAt: number } | null };

export type JoinOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type JoinOptionsQuery = { signInOptions: { email: boolean, oidc: boolean } | null };

export type WhoJoinsQueryVariables = Exact<{ [key: string]: never; }>;


export type WhoJoinsQuery = { context: { principal: { principalId: string } } | null };

export type JoinMutationVariables = Exact<{
  token: string;
}>;


export type JoinMutation = { acceptInvitation: { namespace: string, scope: string } | null };

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

export const OfferDocument = new TypedDocumentString(`
    query Offer($token: String!) {
  invitation(token: $token) {
    namespace
    scope
    perms
    createdBy
    createdByName
    expiresAt
  }
}
    `, {"hash":"sha256:fa0b398fc15889a76042e3fb61c2d0e65bf5674b014227aa351d3e74dc711ee3"}) as unknown as TypedDocumentString<OfferQuery, OfferQueryVariables>;
export const JoinOptionsDocument = new TypedDocumentString(`
    query JoinOptions {
  signInOptions {
    email
    oidc
  }
}
    `, {"hash":"sha256:a5d3955a40124b00aaf7f9854e0313e2ac648cb52f1021393964d1a36133851e"}) as unknown as TypedDocumentString<JoinOptionsQuery, JoinOptionsQueryVariables>;
export const WhoJoinsDocument = new TypedDocumentString(`
    query WhoJoins {
  context {
    principal {
      principalId
    }
  }
}
    `, {"hash":"sha256:503d6f262f5fd32987c9bc73e21068c6b9fd58eb9dda5db0b6d346e9ca2990ad"}) as unknown as TypedDocumentString<WhoJoinsQuery, WhoJoinsQueryVariables>;
export const JoinDocument = new TypedDocumentString(`
    mutation Join($token: String!) {
  acceptInvitation(token: $token) {
    namespace
    scope
  }
}
    `, {"hash":"sha256:72489abf179c50e7e3b8c93b2823c281e9af5bf6e08783e73bca7e43d1a7a010"}) as unknown as TypedDocumentString<JoinMutation, JoinMutationVariables>;