-- CreateTable
CREATE TABLE "namespace" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "owner" TEXT,
    "registered" BOOLEAN NOT NULL DEFAULT false,
    "created_at" BIGINT NOT NULL,
    "deleted_at" BIGINT,

    CONSTRAINT "namespace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "head" (
    "namespace_id" TEXT NOT NULL,
    "seq" BIGINT NOT NULL DEFAULT 0,
    "documents" INTEGER NOT NULL DEFAULT 0,
    "audit_seq" BIGINT NOT NULL DEFAULT 0,
    "audit_hash" TEXT NOT NULL,

    CONSTRAINT "head_pkey" PRIMARY KEY ("namespace_id")
);

-- CreateTable
CREATE TABLE "principal" (
    "principal_id" TEXT NOT NULL,
    "namespace_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "groups" TEXT[],
    "read_only" BOOLEAN NOT NULL DEFAULT false,
    "active_scope" TEXT NOT NULL DEFAULT '*',
    "created_at" BIGINT NOT NULL,
    "deleted_at" BIGINT,

    CONSTRAINT "principal_pkey" PRIMARY KEY ("principal_id")
);

-- CreateTable
CREATE TABLE "token" (
    "hash" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "expires_at" BIGINT,
    "restriction" JSONB,

    CONSTRAINT "token_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "grant" (
    "namespace_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "perms" TEXT[],
    "groups" TEXT[],
    "granted_by" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,

    CONSTRAINT "grant_pkey" PRIMARY KEY ("namespace_id","id")
);

-- CreateTable
CREATE TABLE "scope" (
    "namespace_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "parent" TEXT,
    "planes" TEXT[],
    "read_only_agents" BOOLEAN NOT NULL DEFAULT false,
    "created_at" BIGINT NOT NULL,
    "deleted_at" BIGINT,
    "swept_at" BIGINT,

    CONSTRAINT "scope_pkey" PRIMARY KEY ("namespace_id","id")
);

-- CreateTable
CREATE TABLE "acl_set" (
    "namespace_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "groups" TEXT[],

    CONSTRAINT "acl_set_pkey" PRIMARY KEY ("namespace_id","id")
);

-- CreateTable
CREATE TABLE "unit" (
    "namespace_id" TEXT NOT NULL,
    "unit_id" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "scope_id" TEXT NOT NULL,
    "plane" TEXT NOT NULL,
    "modality" TEXT NOT NULL,
    "text" TEXT,
    "source_uri" TEXT,
    "mime" TEXT,
    "locator" JSONB,
    "doc_id" TEXT,
    "external_id" TEXT,
    "writer" TEXT NOT NULL,
    "acl_set_id" TEXT,
    "metadata" JSONB NOT NULL,
    "content_hash" TEXT,
    "has_vector" BOOLEAN NOT NULL,
    "embed_pending" BOOLEAN NOT NULL DEFAULT false,
    "created_at" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,

    CONSTRAINT "unit_pkey" PRIMARY KEY ("namespace_id","unit_id")
);

-- CreateTable
CREATE TABLE "unit_vector" (
    "namespace_id" TEXT NOT NULL,
    "unit_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "vector" BYTEA NOT NULL,

    CONSTRAINT "unit_vector_pkey" PRIMARY KEY ("namespace_id","unit_id","model")
);

-- CreateTable
CREATE TABLE "plane_model" (
    "namespace_id" TEXT NOT NULL,
    "plane" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "dims" INTEGER NOT NULL,

    CONSTRAINT "plane_model_pkey" PRIMARY KEY ("namespace_id","plane","model")
);

-- CreateTable
CREATE TABLE "document" (
    "namespace_id" TEXT NOT NULL,
    "doc_id" TEXT NOT NULL,
    "units" INTEGER NOT NULL,

    CONSTRAINT "document_pkey" PRIMARY KEY ("namespace_id","doc_id")
);

-- CreateTable
CREATE TABLE "unit_count" (
    "namespace_id" TEXT NOT NULL,
    "scope_id" TEXT NOT NULL,
    "acl_set_id" TEXT NOT NULL,
    "plane" TEXT NOT NULL,
    "units" INTEGER NOT NULL,
    "vectors" INTEGER NOT NULL,

    CONSTRAINT "unit_count_pkey" PRIMARY KEY ("namespace_id","scope_id","acl_set_id","plane")
);

-- CreateTable
CREATE TABLE "source" (
    "namespace_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "uri" TEXT NOT NULL,
    "mime" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "purge_requested_at" BIGINT,
    "purged_at" BIGINT,

    CONSTRAINT "source_pkey" PRIMARY KEY ("namespace_id","id")
);

-- CreateTable
CREATE TABLE "query_count" (
    "namespace_id" TEXT NOT NULL,
    "hour" INTEGER NOT NULL,
    "queries" INTEGER NOT NULL,

    CONSTRAINT "query_count_pkey" PRIMARY KEY ("namespace_id","hour")
);

-- CreateTable
CREATE TABLE "audit_row" (
    "namespace_id" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "time" BIGINT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT,
    "outcome" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "prev_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_row_pkey" PRIMARY KEY ("namespace_id","seq")
);

-- CreateIndex
CREATE UNIQUE INDEX "namespace_name_key" ON "namespace"("name");

-- CreateIndex
CREATE INDEX "principal_namespace_id_idx" ON "principal"("namespace_id");

-- CreateIndex
CREATE INDEX "token_principal_id_idx" ON "token"("principal_id");

-- CreateIndex
CREATE INDEX "grant_namespace_id_principal_id_idx" ON "grant"("namespace_id", "principal_id");

-- CreateIndex
CREATE INDEX "scope_namespace_id_path_idx" ON "scope"("namespace_id", "path");

-- CreateIndex
CREATE INDEX "unit_namespace_id_scope_id_ordinal_idx" ON "unit"("namespace_id", "scope_id", "ordinal");

-- CreateIndex
CREATE INDEX "unit_namespace_id_doc_id_idx" ON "unit"("namespace_id", "doc_id");

-- CreateIndex
CREATE INDEX "unit_namespace_id_writer_external_id_idx" ON "unit"("namespace_id", "writer", "external_id");

-- CreateIndex
CREATE INDEX "unit_namespace_id_source_uri_idx" ON "unit"("namespace_id", "source_uri");

-- CreateIndex
CREATE INDEX "unit_namespace_id_embed_pending_idx" ON "unit"("namespace_id", "embed_pending");

-- CreateIndex
CREATE UNIQUE INDEX "unit_namespace_id_seq_key" ON "unit"("namespace_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "source_namespace_id_uri_key" ON "source"("namespace_id", "uri");

-- AddForeignKey
ALTER TABLE "head" ADD CONSTRAINT "head_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "principal" ADD CONSTRAINT "principal_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("principal_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grant" ADD CONSTRAINT "grant_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grant" ADD CONSTRAINT "grant_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("principal_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scope" ADD CONSTRAINT "scope_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "acl_set" ADD CONSTRAINT "acl_set_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit" ADD CONSTRAINT "unit_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit" ADD CONSTRAINT "unit_namespace_id_scope_id_fkey" FOREIGN KEY ("namespace_id", "scope_id") REFERENCES "scope"("namespace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit" ADD CONSTRAINT "unit_namespace_id_acl_set_id_fkey" FOREIGN KEY ("namespace_id", "acl_set_id") REFERENCES "acl_set"("namespace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit_vector" ADD CONSTRAINT "unit_vector_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit_vector" ADD CONSTRAINT "unit_vector_namespace_id_unit_id_fkey" FOREIGN KEY ("namespace_id", "unit_id") REFERENCES "unit"("namespace_id", "unit_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plane_model" ADD CONSTRAINT "plane_model_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document" ADD CONSTRAINT "document_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit_count" ADD CONSTRAINT "unit_count_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit_count" ADD CONSTRAINT "unit_count_namespace_id_scope_id_fkey" FOREIGN KEY ("namespace_id", "scope_id") REFERENCES "scope"("namespace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unit_count" ADD CONSTRAINT "unit_count_namespace_id_acl_set_id_fkey" FOREIGN KEY ("namespace_id", "acl_set_id") REFERENCES "acl_set"("namespace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "source" ADD CONSTRAINT "source_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_count" ADD CONSTRAINT "query_count_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_row" ADD CONSTRAINT "audit_row_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- The audit chain is write-once: not even the application may mend it.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit rows are write-once';
END
$$;

CREATE TRIGGER audit_row_write_once BEFORE UPDATE OR DELETE ON "audit_row"
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER audit_row_no_truncate BEFORE TRUNCATE ON "audit_row"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
