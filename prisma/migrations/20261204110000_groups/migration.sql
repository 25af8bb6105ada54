-- The part of `groups` that comes through other groups, which those hold.
ALTER TABLE "principal" ADD COLUMN "inherited_groups" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "grant" ADD COLUMN "inherited_groups" TEXT[] DEFAULT ARRAY[]::TEXT[];
-- `user:<principal_id>` is each principal's own now: before, an admin could put others into it.
UPDATE "principal" SET "groups" = ARRAY(SELECT g FROM unnest("groups") g WHERE g NOT LIKE 'user:%') WHERE EXISTS (SELECT FROM unnest("groups") g WHERE g LIKE 'user:%');
UPDATE "grant" SET "groups" = ARRAY(SELECT g FROM unnest("groups") g WHERE g NOT LIKE 'user:%') WHERE EXISTS (SELECT FROM unnest("groups") g WHERE g LIKE 'user:%');

-- CreateTable
CREATE TABLE "group_record" (
    "namespace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "display_name" TEXT,
    "source" TEXT NOT NULL DEFAULT 'manual',

    CONSTRAINT "group_record_pkey" PRIMARY KEY ("namespace_id","name")
);

-- CreateTable
CREATE TABLE "group_nesting" (
    "namespace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "member" TEXT NOT NULL,

    CONSTRAINT "group_nesting_pkey" PRIMARY KEY ("namespace_id","name","member")
);

-- AddForeignKey
ALTER TABLE "group_record" ADD CONSTRAINT "group_record_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_nesting" ADD CONSTRAINT "group_nesting_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
