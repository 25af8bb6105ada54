-- What searches of a namespace take for equal, and on the namespace the digest of it; null for nothing.
ALTER TABLE "namespace" ADD COLUMN "synonyms_version" TEXT;

CREATE TABLE "synonyms" (
    "namespace_id" TEXT NOT NULL,
    "rules" JSONB NOT NULL,

    CONSTRAINT "synonyms_pkey" PRIMARY KEY ("namespace_id")
);

ALTER TABLE "synonyms" ADD CONSTRAINT "synonyms_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
