-- What a namespace did in an hour, besides its queries, of which some were answers.
ALTER TABLE "query_count" ADD COLUMN "answers" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "ingested" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "deleted" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "refused" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "latency" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
