-- What is asked again and again is found without reading what belongs to everyone.

CREATE INDEX "unit_pending_idx" ON "unit"("updated_at", "unit_id") WHERE embed_pending;

CREATE INDEX "source_awaiting_purge_idx" ON "source"("namespace_id", "id") WHERE ((purge_requested_at IS NOT NULL) AND (purged_at IS NULL));

CREATE INDEX "scope_unerased_idx" ON "scope"("namespace_id") WHERE ((deleted_at IS NOT NULL) AND (erased_at IS NULL));

CREATE INDEX "ingested_document_held_idx" ON "ingested_document"("held_by") WHERE (held_by <> ''::text);

CREATE INDEX "plane_model_plane_model_idx" ON "plane_model"("plane", "model");

CREATE INDEX "grant_principal_id_idx" ON "grant"("principal_id");

CREATE INDEX "audit_export_expires_at_idx" ON "audit_export"("expires_at");

CREATE INDEX "auth_rate_limit_last_request_idx" ON "auth_rate_limit"("last_request");
