ALTER TABLE "scope" ADD COLUMN "erased_at" BIGINT;

CREATE INDEX "auth_session_expires_at_idx" ON "auth_session"("expires_at");

CREATE INDEX "auth_verification_expires_at_idx" ON "auth_verification"("expires_at");
