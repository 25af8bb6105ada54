-- AlterTable
ALTER TABLE "ingested_document" ADD COLUMN     "text_due_at" BIGINT;

-- CreateIndex
CREATE INDEX "ingested_document_text_due_at_idx" ON "ingested_document"("text_due_at");
