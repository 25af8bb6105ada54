-- CreateTable
CREATE TABLE "request_count" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "expires_at" BIGINT NOT NULL,

    CONSTRAINT "request_count_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "request_count_expires_at_idx" ON "request_count"("expires_at");
