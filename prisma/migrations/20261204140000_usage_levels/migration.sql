-- By how much the live Units of each plane and the bytes of sources grew in an hour. It is not known of the hours before.
ALTER TABLE "query_count" ADD COLUMN "text_change" INTEGER,
ADD COLUMN "visual_change" INTEGER,
ADD COLUMN "audio_change" INTEGER,
ADD COLUMN "doc_visual_change" INTEGER,
ADD COLUMN "bytes_change" BIGINT;
ALTER TABLE "query_count" ALTER COLUMN "text_change" SET DEFAULT 0,
ALTER COLUMN "visual_change" SET DEFAULT 0,
ALTER COLUMN "audio_change" SET DEFAULT 0,
ALTER COLUMN "doc_visual_change" SET DEFAULT 0,
ALTER COLUMN "bytes_change" SET DEFAULT 0;

-- Every namespace has an hour whose change is not known: this one.
INSERT INTO "query_count" ("namespace_id", "hour", "queries", "text_change", "visual_change", "audio_change", "doc_visual_change", "bytes_change")
SELECT "id", floor(extract(epoch FROM clock_timestamp()) / 3600)::int, 0, NULL, NULL, NULL, NULL, NULL FROM "namespace"
ON CONFLICT ("namespace_id", "hour") DO NOTHING;
