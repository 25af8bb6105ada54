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
