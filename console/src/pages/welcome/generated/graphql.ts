/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Who may sign up by e-mail. */
export type SignUp =
  /** No one without an invitation. */
  | 'closed'
  /** People with an e-mail address of certain domains. */
  | 'domains'
  /** Everyone. */
  | 'open';

export type SignInOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type SignInOptionsQuery = { signInOptions: { firstRun: boolean, email: boolean, signUp: SignUp, oidc: boolean, passwordReset: boolean } | null };

export type MakeDemoMutationVariables = Exact<{ [key: string]: never; }>;


export type MakeDemoMutation = { seed: { tokens: unknown } | null };

export type CheckKeyQueryVariables = Exact<{ [key: string]: never; }>;


export type CheckKeyQuery = { context: { principal: { principalId: string } } | null };

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

export const SignInOptionsDocument = new TypedDocumentString(`
    query SignInOptions {
  signInOptions {
    firstRun
    email
    signUp
    oidc
    passwordReset
  }
}
    `, {"hash":"sha256:11c6b648f0a8b9032120b1a9360f725732ec052426e4c118ed8cae4854b2af78"}) as unknown as TypedDocumentString<SignInOptionsQuery, SignInOptionsQueryVariables>;
export const MakeDemoDocument = new TypedDocumentString(`
    mutation MakeDemo {
  seed {
    tokens
  }
}
    `, {"hash":"sha256:84daf8528a3f5a43ea6cef996901cc07149c44b52a08cf5d04dde50e37c635e1"}) as unknown as TypedDocumentString<MakeDemoMutation, MakeDemoMutationVariables>;
export const CheckKeyDocument = new TypedDocumentString(`
    query CheckKey {
  context {
    principal {
      principalId
    }
  }
}
    `, {"hash":"sha256:c8476cbea59f8b1ee31902c9b6ef789246663d33a772a3f21293e43582fd5fda"}) as unknown as TypedDocumentString<CheckKeyQuery, CheckKeyQueryVariables>;