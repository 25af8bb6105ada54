-- AlterTable
ALTER TABLE "source" ADD COLUMN     "by_link" BOOLEAN,
ADD COLUMN     "charset" TEXT,
ADD COLUMN     "name" TEXT,
ADD COLUMN     "type" TEXT,
ADD COLUMN     "unnamed_since" BIGINT,
ADD COLUMN     "uploaded_with" TEXT;

-- AlterTable
ALTER TABLE "unit" ADD COLUMN     "source_by_writer" BOOLEAN;

-- CreateTable
CREATE TABLE "upload" (
    "hash" TEXT NOT NULL,
    "namespace_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "key_hash" TEXT,
    "bytes" INTEGER NOT NULL,
    "sha256" TEXT,
    "mime" TEXT,
    "name" TEXT,
    "attempts" TEXT[],
    "source_id" TEXT,
    "expires_at" BIGINT NOT NULL,

    CONSTRAINT "upload_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "source_link" (
    "hash" TEXT NOT NULL,
    "namespace_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "key_hash" TEXT,
    "unit_id" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "rendition" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "used_at" BIGINT,

    CONSTRAINT "source_link_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "upload_namespace_id_idx" ON "upload"("namespace_id");

-- CreateIndex
CREATE INDEX "upload_expires_at_idx" ON "upload"("expires_at");

-- CreateIndex
CREATE INDEX "source_link_namespace_id_idx" ON "source_link"("namespace_id");

-- CreateIndex
CREATE INDEX "source_link_expires_at_idx" ON "source_link"("expires_at");

-- AddForeignKey
ALTER TABLE "upload" ADD CONSTRAINT "upload_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "source_link" ADD CONSTRAINT "source_link_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
