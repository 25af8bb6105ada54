-- A principal may stand for the user of a console session.
ALTER TABLE "principal" ADD COLUMN "user_id" TEXT;
CREATE UNIQUE INDEX "principal_user_id_key" ON "principal"("user_id");

-- API keys have ids to name them by, and are listed with when they were used last. Tokens from before get an id.
ALTER TABLE "token" ADD COLUMN "id" TEXT;
ALTER TABLE "token" ADD COLUMN "last_used_at" BIGINT;
UPDATE "token" SET "id" = 'key_' || substr("hash", 1, 22);
ALTER TABLE "token" ALTER COLUMN "id" SET NOT NULL;
CREATE UNIQUE INDEX "token_id_key" ON "token"("id");

-- Who owns which registered namespaces is counted against the tier.
CREATE INDEX "namespace_owner_idx" ON "namespace"("owner");
