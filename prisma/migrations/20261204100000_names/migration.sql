-- Of a person who signs in, from the sign-in; of others as an admin says.
ALTER TABLE "principal" ADD COLUMN "name" TEXT, ADD COLUMN "email" TEXT;
UPDATE "principal" p SET "name" = left(nullif(u."name", ''), 128), "email" = u."email" FROM "auth_user" u WHERE u."id" = p."user_id";
