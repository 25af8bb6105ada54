-- CreateTable
CREATE TABLE "golden_query" (
    "namespace_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "q" TEXT NOT NULL,
    "scope" TEXT,
    "expected" JSONB NOT NULL,
    "created_at" BIGINT NOT NULL,

    CONSTRAINT "golden_query_pkey" PRIMARY KEY ("namespace_id","id")
);

-- CreateTable
CREATE TABLE "evaluation_run" (
    "namespace_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "scope" TEXT,
    "answers" BOOLEAN NOT NULL,
    "rerank" BOOLEAN NOT NULL,
    "total" INTEGER NOT NULL,
    "up_to" INTEGER NOT NULL,
    "cursor" INTEGER NOT NULL DEFAULT 0,
    "asked" INTEGER NOT NULL DEFAULT 0,
    "scores" JSONB NOT NULL DEFAULT '[]',
    "report" JSONB,
    "started_at" BIGINT NOT NULL,
    "finished_at" BIGINT,
    "published_at" BIGINT,
    "service_wide" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "evaluation_run_pkey" PRIMARY KEY ("namespace_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "golden_query_namespace_id_seq_key" ON "golden_query"("namespace_id", "seq");

-- CreateIndex
CREATE INDEX "evaluation_run_service_wide_published_at_idx" ON "evaluation_run"("service_wide", "published_at");

-- AddForeignKey
ALTER TABLE "golden_query" ADD CONSTRAINT "golden_query_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "evaluation_run" ADD CONSTRAINT "evaluation_run_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
