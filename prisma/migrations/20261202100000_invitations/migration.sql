CREATE TABLE "invitation" (
    "namespace_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "email" TEXT,
    "scope" TEXT NOT NULL,
    "perms" TEXT[],
    "groups" TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "grant_ends_at" BIGINT,
    "accepted_at" BIGINT,
    "accepted_by" TEXT,
    "revoked_at" BIGINT,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("namespace_id","id")
);

CREATE UNIQUE INDEX "invitation_hash_key" ON "invitation"("hash");

ALTER TABLE "invitation" ADD CONSTRAINT "invitation_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
