-- AlterTable
ALTER TABLE "unit" ADD COLUMN     "document_id" TEXT;

-- CreateTable
CREATE TABLE "ingested_document" (
    "namespace_id" TEXT NOT NULL,
    "document_id" TEXT NOT NULL,
    "scope_id" TEXT NOT NULL,
    "doc_id" TEXT NOT NULL,
    "writer" TEXT NOT NULL,
    "parent_id" TEXT,
    "level" INTEGER NOT NULL DEFAULT 0,
    "name" TEXT NOT NULL,
    "source_uri" TEXT NOT NULL,
    "mime" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "sidecar" TEXT,
    "acl_groups" TEXT[],
    "metadata" JSONB NOT NULL,
    "force" BOOLEAN NOT NULL DEFAULT false,
    "key_hash" TEXT,
    "request_id" TEXT NOT NULL,
    "found" JSONB,
    "found_source_uri" TEXT,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "detail" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "due_at" BIGINT NOT NULL,
    "held_by" TEXT NOT NULL DEFAULT '',
    "held_until" BIGINT NOT NULL DEFAULT 0,
    "created_at" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,

    CONSTRAINT "ingested_document_pkey" PRIMARY KEY ("namespace_id","document_id")
);

-- CreateIndex
CREATE INDEX "ingested_document_namespace_id_parent_id_idx" ON "ingested_document"("namespace_id", "parent_id");

-- CreateIndex
CREATE INDEX "ingested_document_namespace_id_source_uri_idx" ON "ingested_document"("namespace_id", "source_uri");

-- CreateIndex
CREATE INDEX "ingested_document_namespace_id_found_source_uri_idx" ON "ingested_document"("namespace_id", "found_source_uri");

-- CreateIndex
CREATE INDEX "ingested_document_status_due_at_idx" ON "ingested_document"("status", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "ingested_document_namespace_id_scope_id_writer_doc_id_key" ON "ingested_document"("namespace_id", "scope_id", "writer", "doc_id");

-- CreateIndex
CREATE INDEX "unit_namespace_id_document_id_idx" ON "unit"("namespace_id", "document_id");

-- AddForeignKey
ALTER TABLE "ingested_document" ADD CONSTRAINT "ingested_document_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ingested_document" ADD CONSTRAINT "ingested_document_namespace_id_scope_id_fkey" FOREIGN KEY ("namespace_id", "scope_id") REFERENCES "scope"("namespace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
