/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** How often a tier is paid for. */
export type Cadence =
  /** Paid once; it never lapses. */
  | 'lifetime'
  /** Paid every month. */
  | 'monthly'
  /** Paid every year. */
  | 'yearly';

/** What to buy. */
export type CheckoutInput = {
  /** How to pay. */
  cadence: Cadence;
  /** The tier. */
  tier: PaidTier;
};

/** A tier that is sold. */
export type PaidTier =
  /** Enterprise. */
  | 'enterprise'
  /** Pro. */
  | 'pro';

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

/** How long a step of a series is. */
export type UsageStep =
  /** A day of UTC. */
  | 'day'
  /** An hour. */
  | 'hour';

export type UsageQueryVariables = Exact<{ [key: string]: never; }>;


export type UsageQuery = { catalogStats: { queriesPerDay: number, storage: { objectStoreGb: number, catalogRows: number, vectors: number } } | null, billingSubscription: { namespace: string, tier: string, paidTier: PaidTier | null, changesAt: number | null, subscriptions: Array<{ id: string, tier: PaidTier | null, cadence: Cadence | null, status: string, active: boolean, endsAt: number | null, periodEnd: number | null }> } | null, billingPlans: { configured: boolean, paymentLinks: Array<{ tier: PaidTier, cadence: Cadence, url: string }>, plans: Array<{ tier: PaidTier, planes: Array<Plane>, answers: boolean, rerank: boolean, audit: boolean, maxDocuments: number | null, maxNamespaces: number | null, offers: Array<{ cadence: Cadence, currency: string | null, unitAmount: number | null }> }> } | null };

export type UsageOverTimeQueryVariables = Exact<{
  from: number;
  to: number;
  step: UsageStep;
}>;


export type UsageOverTimeQuery = { usageSeries: { points: Array<{ at: number, searches: number, answers: number, ingested: number, deleted: number, refused: number, p50Ms: number | null, p95Ms: number | null, sourceBytes: number | null, units: { text: number, visual: number, audio: number, docVisual: number } | null }> } | null };

export type CreateCheckoutMutationVariables = Exact<{
  input: CheckoutInput;
}>;


export type CreateCheckoutMutation = { createCheckout: { url: string } | null };

export type CreateBillingPortalMutationVariables = Exact<{ [key: string]: never; }>;


export type CreateBillingPortalMutation = { createBillingPortal: { url: string } | null };

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

export const UsageDocument = new TypedDocumentString(`
    query Usage {
  catalogStats {
    queriesPerDay
    storage {
      objectStoreGb
      catalogRows
      vectors
    }
  }
  billingSubscription {
    namespace
    tier
    paidTier
    changesAt
    subscriptions {
      id
      tier
      cadence
      status
      active
      endsAt
      periodEnd
    }
  }
  billingPlans {
    configured
    paymentLinks {
      tier
      cadence
      url
    }
    plans {
      tier
      planes
      answers
      rerank
      audit
      maxDocuments
      maxNamespaces
      offers {
        cadence
        currency
        unitAmount
      }
    }
  }
}
    `, {"hash":"sha256:4b345b402fd1a5d950e0096e4ae78a615098d5bfd0fe72546c14ba2eb798d34b"}) as unknown as TypedDocumentString<UsageQuery, UsageQueryVariables>;
export const UsageOverTimeDocument = new TypedDocumentString(`
    query UsageOverTime($from: SafeInt!, $to: SafeInt!, $step: UsageStep!) {
  usageSeries(from: $from, to: $to, step: $step) {
    points {
      at
      searches
      answers
      ingested
      deleted
      refused
      p50Ms
      p95Ms
      units {
        text
        visual
        audio
        docVisual
      }
      sourceBytes
    }
  }
}
    `, {"hash":"sha256:2528c47fb806557719a014c658a06e686b939bd5bd8aa4a8e1e1cb45ddaa0a44"}) as unknown as TypedDocumentString<UsageOverTimeQuery, UsageOverTimeQueryVariables>;
export const CreateCheckoutDocument = new TypedDocumentString(`
    mutation CreateCheckout($input: CheckoutInput!) {
  createCheckout(input: $input) {
    url
  }
}
    `, {"hash":"sha256:5763869693ef67c0e9d6cb19b8409999d5df83b3e5a49805ef2c57f81b84f96d"}) as unknown as TypedDocumentString<CreateCheckoutMutation, CreateCheckoutMutationVariables>;
export const CreateBillingPortalDocument = new TypedDocumentString(`
    mutation CreateBillingPortal {
  createBillingPortal {
    url
  }
}
    `, {"hash":"sha256:653d5ba9dab707f05f03eb83e5a041db767e693469dc2102a44dbe25774d76b0"}) as unknown as TypedDocumentString<CreateBillingPortalMutation, CreateBillingPortalMutationVariables>;