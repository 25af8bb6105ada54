-- The detail of an audit row is kept in the very text that was hashed (RFC 8785: keys in order, no blanks).
CREATE FUNCTION pg_temp.canonical(detail jsonb) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT ('{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' ORDER BY key COLLATE "C"), '') || '}')::json
  FROM jsonb_each(detail)
$$;
ALTER TABLE "audit_row" ALTER COLUMN "detail" TYPE JSON USING pg_temp.canonical("detail");
DROP FUNCTION pg_temp.canonical(jsonb);

-- CreateTable
CREATE TABLE "audit_node" (
    "namespace_id" TEXT NOT NULL,
    "level" INTEGER NOT NULL,
    "index" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_node_pkey" PRIMARY KEY ("namespace_id","level","index")
);

-- CreateTable
CREATE TABLE "audit_checkpoint" (
    "namespace_id" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "root" BYTEA NOT NULL,
    "note" TEXT NOT NULL,
    "time" BIGINT NOT NULL,

    CONSTRAINT "audit_checkpoint_pkey" PRIMARY KEY ("namespace_id","size")
);

-- CreateTable
CREATE TABLE "audit_export" (
    "hash" TEXT NOT NULL,
    "namespace_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "expires_at" BIGINT NOT NULL,

    CONSTRAINT "audit_export_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "audit_export_namespace_id_idx" ON "audit_export"("namespace_id");

-- AddForeignKey
ALTER TABLE "audit_node" ADD CONSTRAINT "audit_node_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_checkpoint" ADD CONSTRAINT "audit_checkpoint_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_export" ADD CONSTRAINT "audit_export_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What was signed, and what proofs are made of, is write-once as the rows are.
CREATE TRIGGER audit_node_write_once BEFORE UPDATE OR DELETE ON "audit_node"
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_node_no_truncate BEFORE TRUNCATE ON "audit_node"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoint_write_once BEFORE UPDATE OR DELETE ON "audit_checkpoint"
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoint_no_truncate BEFORE TRUNCATE ON "audit_checkpoint"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
