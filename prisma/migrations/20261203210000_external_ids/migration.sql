-- As its other columns: a Unit takes a place by its external id only while it has one. A purged one has none.
DROP INDEX "unit_namespace_id_writer_external_id_idx";
CREATE INDEX "unit_namespace_id_writer_external_id_idx" ON "unit"("namespace_id", "writer", "external_id") WHERE (external_id IS NOT NULL);
