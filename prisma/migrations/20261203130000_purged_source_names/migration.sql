-- The name of a file may tell as much as the file: it goes with the bytes. Sources that were purged before have kept it.
UPDATE "source" SET "name" = NULL WHERE "purged_at" IS NOT NULL AND "name" IS NOT NULL;
