-- CreateTable
CREATE TABLE "index_cursor" (
    "namespace_id" TEXT NOT NULL,
    "index" TEXT NOT NULL,
    "cursor" BIGINT NOT NULL,
    "fence" BIGINT NOT NULL,
    "holder" TEXT NOT NULL,
    "held_until" BIGINT NOT NULL,

    CONSTRAINT "index_cursor_pkey" PRIMARY KEY ("namespace_id","index")
);

-- AddForeignKey
ALTER TABLE "index_cursor" ADD CONSTRAINT "index_cursor_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
