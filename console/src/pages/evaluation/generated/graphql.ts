/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type GoldenQueriesQueryVariables = Exact<{
  cursor?: number | null | undefined;
}>;


export type GoldenQueriesQuery = { goldenQueries: { count: number, nextCursor: number | null, queries: Array<{ id: string, q: string, scope: string | null, expectedUnitIds: Array<string>, expectedExternalIds: Array<string>, expectedAnswers: Array<string>, createdAt: number }> } | null };

export type EvaluationRunsQueryVariables = Exact<{
  cursor?: number | null | undefined;
}>;


export type EvaluationRunsQuery = { evaluationRuns: { count: number, nextCursor: number | null, runs: Array<{ id: string, principalId: string, scope: string | null, answers: boolean, rerank: boolean, asked: number, total: number, startedAt: number, finishedAt: number | null, publishedAt: number | null, report: { degraded: number, queries: number, benchmarks: Array<{ operation: string, p50Ms: number, p95Ms: number, queries: number }>, evals: Array<{ metric: string, mean: number, low: number, high: number, queries: number }> } | null }> } | null };

export type EvaluationRunFragment = { id: string, principalId: string, scope: string | null, answers: boolean, rerank: boolean, asked: number, total: number, startedAt: number, finishedAt: number | null, publishedAt: number | null, report: { degraded: number, queries: number, benchmarks: Array<{ operation: string, p50Ms: number, p95Ms: number, queries: number }>, evals: Array<{ metric: string, mean: number, low: number, high: number, queries: number }> } | null };

export type EvaluateMutationVariables = Exact<{
  run?: string | null | undefined;
  answers?: boolean | null | undefined;
  rerank?: boolean | null | undefined;
}>;


export type EvaluateMutation = { evaluate: { run: { id: string, principalId: string, scope: string | null, answers: boolean, rerank: boolean, asked: number, total: number, startedAt: number, finishedAt: number | null, publishedAt: number | null, report: { degraded: number, queries: number, benchmarks: Array<{ operation: string, p50Ms: number, p95Ms: number, queries: number }>, evals: Array<{ metric: string, mean: number, low: number, high: number, queries: number }> } | null }, scores: Array<{ goldenQueryId: string, values: Array<{ metric: string, value: number }> }> } | null };

export type PublishReportMutationVariables = Exact<{
  run: string;
}>;


export type PublishReportMutation = { publishReport: { generatedAt: string } | null };

export type DeleteGoldenQueriesMutationVariables = Exact<{
  ids: Array<string> | string;
}>;


export type DeleteGoldenQueriesMutation = { deleteGoldenQueries: { deleted: number } | null };

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
export const EvaluationRunFragmentDoc = new TypedDocumentString(`
    fragment EvaluationRun on EvaluationRun {
  id
  principalId
  scope
  answers
  rerank
  asked
  total
  startedAt
  finishedAt
  publishedAt
  report {
    degraded
    queries
    benchmarks {
      operation
      p50Ms
      p95Ms
      queries
    }
    evals {
      metric
      mean
      low
      high
      queries
    }
  }
}
    `, {"fragmentName":"EvaluationRun"}) as unknown as TypedDocumentString<EvaluationRunFragment, unknown>;
export const GoldenQueriesDocument = new TypedDocumentString(`
    query GoldenQueries($cursor: SafeInt) {
  goldenQueries(cursor: $cursor, limit: 100) {
    count
    nextCursor
    queries {
      id
      q
      scope
      expectedUnitIds
      expectedExternalIds
      expectedAnswers
      createdAt
    }
  }
}
    `, {"hash":"sha256:c8683e22a1b3e2393362c4952faa4612e8242c52994236e5692fc4f33cfe1667"}) as unknown as TypedDocumentString<GoldenQueriesQuery, GoldenQueriesQueryVariables>;
export const EvaluationRunsDocument = new TypedDocumentString(`
    query EvaluationRuns($cursor: SafeInt) {
  evaluationRuns(cursor: $cursor, limit: 100) {
    count
    nextCursor
    runs {
      ...EvaluationRun
    }
  }
}
    fragment EvaluationRun on EvaluationRun {
  id
  principalId
  scope
  answers
  rerank
  asked
  total
  startedAt
  finishedAt
  publishedAt
  report {
    degraded
    queries
    benchmarks {
      operation
      p50Ms
      p95Ms
      queries
    }
    evals {
      metric
      mean
      low
      high
      queries
    }
  }
}`, {"hash":"sha256:f5d57b36879fe1090df424b25a2975985e6cab61b276b4476ba2fd2121b2a783"}) as unknown as TypedDocumentString<EvaluationRunsQuery, EvaluationRunsQueryVariables>;
export const EvaluateDocument = new TypedDocumentString(`
    mutation Evaluate($run: String, $answers: Boolean, $rerank: Boolean) {
  evaluate(run: $run, answers: $answers, rerank: $rerank, limit: 10) {
    run {
      ...EvaluationRun
    }
    scores {
      goldenQueryId
      values {
        metric
        value
      }
    }
  }
}
    fragment EvaluationRun on EvaluationRun {
  id
  principalId
  scope
  answers
  rerank
  asked
  total
  startedAt
  finishedAt
  publishedAt
  report {
    degraded
    queries
    benchmarks {
      operation
      p50Ms
      p95Ms
      queries
    }
    evals {
      metric
      mean
      low
      high
      queries
    }
  }
}`, {"hash":"sha256:b60a469d0eb5c90fc8b90c03c8693c9b98470651f28481aa03f5017f31cf451c"}) as unknown as TypedDocumentString<EvaluateMutation, EvaluateMutationVariables>;
export const PublishReportDocument = new TypedDocumentString(`
    mutation PublishReport($run: String!) {
  publishReport(run: $run) {
    generatedAt
  }
}
    `, {"hash":"sha256:4dd8db63019bb6e4e2cf01d93c1038fe4a2a3abb99d9dc22feb60202d7bf5157"}) as unknown as TypedDocumentString<PublishReportMutation, PublishReportMutationVariables>;
export const DeleteGoldenQueriesDocument = new TypedDocumentString(`
    mutation DeleteGoldenQueries($ids: [String!]!) {
  deleteGoldenQueries(ids: $ids) {
    deleted
  }
}
    `, {"hash":"sha256:0371a933d135822952628ef452a7c352a48def8bca3283a3562d9d33891b9d1f"}) as unknown as TypedDocumentString<DeleteGoldenQueriesMutation, DeleteGoldenQueriesMutationVariables>;