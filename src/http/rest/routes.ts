import { type Endpoint, routeOf } from './route.ts'

/** What answers show of a type unless they say otherwise, in names of the wire. The contract does not grow with the schema. */
export const shapes: Readonly<Record<string, string>> = {
  Locator:
    'TimeRange { kind t_start_ms t_end_ms } BoundingBox { kind page x y w h } CharSpan { kind start end } LineRange { kind start end }',
  Context: `principal { principal_id namespace read_only groups }
    active_scope requested_scope effective_scopes allowed_scopes perms folders_visible folders_total`,
  Unit: `unit_id external_id scope plane modality text doc_id source_uri mime locator acl_owner acl_groups metadata
    created_at updated_at`,
  IngestResult: `units { unit_id external_id status scope modality plane } counts { created updated unchanged } seq
    indexed`,
  DeleteResult: 'matched tombstoned purged sources_purged seq',
  Hit: `unit_id external_id score rank plane modality scope doc_id text text_start highlights { start end } source_uri
    mime locator metadata created_at explain { leg rank score normalized weight }`,
  Answer: `text citations { marker unit_id quote start end sha256 locator source_uri } nli_faithfulness confidence
    faithfulness { method min unsupported } abstained model`,
  SearchTrace: `request_id planes clamped_planes legs { leg engine candidates took_ms } fusion { method weights } rerank
    answer { passages removed steps { query hits kept took_ms } took_ms } seq index_seq degraded took_ms`,
  Scope: 'scope namespace parent planes read_only_agents created_at',
  Namespace: 'namespace tier owner home registered planes max_namespaces created_at',
  Grant: 'id principal_id namespace scope perms groups granted_by created_at',
  Principal: 'principal_id namespace kind groups read_only active_scope created_at',
  AuditCheckpoint: 'namespace origin size root_hash time note verifier_key',
  Reconciled: 'checked repaired',
}

const report = 'benchmarks { operation p50_ms p95_ms queries } evals { metric mean low high queries } generated_at'

const endpoints: Endpoint[] = [
  {
    method: 'GET',
    path: '/v1/health',
    field: 'health',
    answer: 'status service version time bindings { catalog vector_index object_store key_value inference }',
    auth: 'none',
  },
  { method: 'GET', path: '/v1/context', field: 'context' },
  { method: 'GET', path: '/v1/scopes', field: 'scopes', answer: 'scopes', wholeLists: true },
  {
    method: 'POST',
    path: '/v1/scopes',
    field: 'createScope',
    args: { input: 'body' },
    example: { scope: 'harbour' },
  },
  { method: 'GET', path: '/v1/scopes/:scope', field: 'scope', args: { scope: ':scope' }, tagged: true },
  {
    method: 'DELETE',
    path: '/v1/scopes/:scope',
    field: 'deleteScope',
    args: { scope: ':scope' },
    answer: 'deleted scopes grants',
  },
  {
    method: 'POST',
    path: '/v1/search',
    field: 'search',
    args: { input: 'body' },
    answer: 'hits answer trace context hidden_by_acl',
    example: { q: 'who lights the lamp?', top_k: 5, filters: { metadata: { year: { gte: 1900 } } } },
  },
  {
    method: 'POST',
    path: '/v1/answer',
    field: 'answer',
    args: { input: 'body' },
    answer: 'answer hits trace context hidden_by_acl',
    example: { q: 'who lights the lamp?' },
  },
  {
    method: 'GET',
    path: '/v1/units',
    field: 'units',
    args: { limit: '?limit', cursor: '?cursor' },
    answer: 'units hidden_by_acl context next_cursor',
  },
  { method: 'GET', path: '/v1/units/:id', field: 'unit', args: { unitId: ':id' }, tagged: true },
  {
    method: 'POST',
    path: '/v1/ingest',
    field: 'ingest',
    args: { input: 'body' },
    example: {
      units: [
        {
          scope: 'harbour',
          text: 'The lighthouse keeper lights the lamp at dusk.',
          external_id: 'log-1',
          doc_id: 'log',
          acl_groups: ['*'],
          metadata: { year: 1907 },
        },
      ],
    },
  },
  {
    method: 'POST',
    path: '/v1/units:delete',
    field: 'deleteUnits',
    args: { input: 'body' },
    example: { filter: { doc_id: 'log' } },
  },
  {
    method: 'GET',
    path: '/v1/catalog/stats',
    field: 'catalogStats',
    answer: `namespace scope planes { plane model dims metric vectors indexed lag health } queries_per_day
      storage { object_store_gb catalog_rows vectors }`,
  },
  {
    method: 'GET',
    path: '/v1/compaction',
    field: 'compaction',
    answer: 'namespace planes { plane indexed pending lag health }',
  },
  {
    method: 'POST',
    path: '/v1/compaction',
    field: 'compact',
    args: { input: 'body' },
    answer: 'planes { plane added removed unchanged took_ms } seq',
    body: 'optional',
    example: { planes: ['text'] },
  },
  {
    method: 'GET',
    path: '/v1/audit',
    field: 'audit',
    args: { limit: '?limit', cursor: '?cursor' },
    answer: `namespace
      rows { namespace seq time principal_id action target outcome request_id detail prev_hash hash } count next_cursor`,
  },
  {
    method: 'GET',
    path: '/v1/audit/verify',
    field: 'verifyAudit',
    answer: 'namespace intact checked head_seq head_hash break_at reason',
  },
  { method: 'GET', path: '/v1/audit/checkpoint', field: 'auditCheckpoint', args: { size: '?size' } },
  {
    method: 'GET',
    path: '/v1/audit/proof',
    field: 'auditProof',
    args: { seq: '?seq', from: '?from', size: '?size' },
    answer: 'namespace seq leaf_hash from size hashes checkpoint',
  },
  { method: 'GET', path: '/v1/namespaces', field: 'namespaces', answer: 'namespaces', wholeLists: true },
  {
    method: 'POST',
    path: '/v1/namespaces',
    field: 'createNamespace',
    args: { input: 'body' },
    example: { namespace: 'lighthouse' },
  },
  { method: 'GET', path: '/v1/namespaces/:ns', field: 'namespace', args: { name: ':ns' }, tagged: true },
  {
    method: 'DELETE',
    path: '/v1/namespaces/:ns',
    field: 'deleteNamespace',
    args: { name: ':ns' },
    answer: 'deleted scopes grants principals',
  },
  { method: 'GET', path: '/v1/grants', field: 'grants', answer: 'grants', wholeLists: true },
  {
    method: 'POST',
    path: '/v1/grants',
    field: 'createGrant',
    args: { input: 'body' },
    example: { principal_id: 'ada', scope: 'harbour', perms: ['read'], groups: ['crew'] },
  },
  { method: 'GET', path: '/v1/grants/:id', field: 'grant', args: { id: ':id' }, tagged: true },
  { method: 'DELETE', path: '/v1/grants/:id', field: 'deleteGrant', args: { id: ':id' }, answer: 'deleted' },
  { method: 'GET', path: '/v1/principals', field: 'principals', answer: 'principals', wholeLists: true },
  {
    method: 'POST',
    path: '/v1/principals',
    field: 'createPrincipal',
    args: { input: 'body' },
    answer: `${shapes.Principal} token`,
    example: { name: 'Crawler', kind: 'service', groups: ['crew'] },
  },
  { method: 'GET', path: '/v1/principals/:id', field: 'principal', args: { id: ':id' }, tagged: true },
  {
    method: 'DELETE',
    path: '/v1/principals/:id',
    field: 'deletePrincipal',
    args: { id: ':id' },
    answer: 'deleted tokens grants',
  },
  {
    method: 'GET',
    path: '/v1/billing/plans',
    field: 'billingPlans',
    answer: `plans { tier planes max_documents max_namespaces answers rerank audit
      offers { cadence price_id currency unit_amount } } payment_links { tier cadence url } publishable_key configured`,
    auth: 'none',
  },
  {
    method: 'POST',
    path: '/v1/billing/checkout',
    field: 'createCheckout',
    args: { input: 'body' },
    answer: 'url expires_at',
    example: { tier: 'pro', cadence: 'monthly' },
  },
  {
    method: 'GET',
    path: '/v1/billing/subscription',
    field: 'billingSubscription',
    answer: `namespace tier paid_tier changes_at
      subscriptions { id tier cadence status active ends_at period_end }`,
  },
  { method: 'POST', path: '/v1/billing/portal', field: 'createBillingPortal', answer: 'url', body: 'optional' },
  {
    method: 'POST',
    path: '/v1/billing/webhook',
    field: 'receiveBillingEvent',
    args: {
      payload: 'raw',
      signature: {
        header: 'Stripe-Signature',
        required: true,
        description: "The payment provider's signature over the body, as it was sent.",
      },
    },
    answer: 'received duplicate',
    auth: 'none',
    body: 'raw',
  },
  {
    method: 'POST',
    path: '/v1/billing/reconcile',
    field: 'reconcileBilling',
    args: { secret: 'credential', cursor: '?cursor' },
    answer: 'pages events subscriptions purchases payers tiers_changed next_cursor',
    auth: 'own',
    body: 'none',
  },
  {
    method: 'POST',
    path: '/v1/admin/seed',
    field: 'seed',
    answer: 'principals { principal_id namespace tier scope perms groups read_only } scopes tokens counts',
    auth: 'optional',
    body: 'optional',
    ownOrigin: true,
  },
  { method: 'GET', path: '/v1/benchmarks', field: 'benchmarkReport', answer: report },
  // The contract has both; their answers are equal.
  { method: 'GET', path: '/v1/eval', field: 'benchmarkReport', answer: report },
]

/** The whole contract under /v1; all other paths answer 404. */
export const routes = endpoints.map(routeOf)
