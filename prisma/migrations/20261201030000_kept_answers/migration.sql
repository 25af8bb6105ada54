-- CreateTable
CREATE TABLE "kept_answer" (
    "id" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "expires_at" BIGINT NOT NULL,

    CONSTRAINT "kept_answer_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "kept_answer_expires_at_idx" ON "kept_answer"("expires_at");
