/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** What to reconcile. */
export type CompactInput = {
  /** Default: all planes. At least 1 item. */
  planes?: Array<Plane> | null | undefined;
};

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

export type HealthQueryVariables = Exact<{ [key: string]: never; }>;


export type HealthQuery = { health: { service: string, status: string, version: string, time: string, auditAnchor: string, load: { memoryBytes: number, indexing: number, auditRows: number, statements: number } | null, bindings: { catalog: string, inference: boolean, keyValue: string, objectStore: string, vectorIndex: Array<string> } } | null, catalogStats: { advice: string | null, planes: Array<{ plane: Plane, health: string, indexed: number, vectors: number, lag: number, model: string, dims: number, metric: string }> } | null, compaction: { planes: Array<{ plane: Plane, pending: number, modelChange: { model: string, target: string, done: number, left: number } | null }> } | null };

export type CompactMutationVariables = Exact<{
  input?: CompactInput | null | undefined;
}>;


export type CompactMutation = { compact: { seq: number, planes: Array<{ plane: Plane, added: number, removed: number, unchanged: number, tookMs: number }> } | null };

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

export const HealthDocument = new TypedDocumentString(`
    query Health {
  health {
    service
    status
    version
    time
    auditAnchor
    load {
      memoryBytes
      indexing
      auditRows
      statements
    }
    bindings {
      catalog
      inference
      keyValue
      objectStore
      vectorIndex
    }
  }
  catalogStats {
    advice
    planes {
      plane
      health
      indexed
      vectors
      lag
      model
      dims
      metric
    }
  }
  compaction {
    planes {
      plane
      pending
      modelChange {
        model
        target
        done
        left
      }
    }
  }
}
    `, {"hash":"sha256:188b53221a6367b6bd31b70d9223e5545eebed5f04781e7e8ac56fb773ffaef6"}) as unknown as TypedDocumentString<HealthQuery, HealthQueryVariables>;
export const CompactDocument = new TypedDocumentString(`
    mutation Compact($input: CompactInput) {
  compact(input: $input) {
    seq
    planes {
      plane
      added
      removed
      unchanged
      tookMs
    }
  }
}
    `, {"hash":"sha256:b9eb1b4b3dea82f17a9fb51f65a0a5dc8af9c8a6bd9488014419f9a6dfecdf6c"}) as unknown as TypedDocumentString<CompactMutation, CompactMutationVariables>;