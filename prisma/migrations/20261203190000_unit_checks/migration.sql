-- A row takes a place only in indexes by what it has.
DROP INDEX "unit_namespace_id_doc_id_idx";
CREATE INDEX "unit_namespace_id_doc_id_idx" ON "unit"("namespace_id", "doc_id") WHERE (doc_id IS NOT NULL);

DROP INDEX "unit_namespace_id_document_id_idx";
CREATE INDEX "unit_namespace_id_document_id_idx" ON "unit"("namespace_id", "document_id") WHERE (document_id IS NOT NULL);

DROP INDEX "unit_namespace_id_source_uri_idx";
CREATE INDEX "unit_namespace_id_source_uri_idx" ON "unit"("namespace_id", "source_uri") WHERE (source_uri IS NOT NULL);

DROP INDEX "unit_namespace_id_embed_pending_idx";
CREATE INDEX "unit_namespace_id_embed_pending_idx" ON "unit"("namespace_id") WHERE embed_pending;

-- A Unit's scope and a vector's Unit have the same namespace already.
ALTER TABLE "unit" DROP CONSTRAINT "unit_namespace_id_fkey";
ALTER TABLE "unit_vector" DROP CONSTRAINT "unit_vector_namespace_id_fkey";
