-- How many live Units have a vector of their callers' own: without one, the dimensions of the plane are free again.
ALTER TABLE "plane_model" ADD COLUMN "vectors" INTEGER NOT NULL DEFAULT 0;
UPDATE "plane_model" m SET "vectors" = (
  SELECT count(*) FROM "unit_vector" v JOIN "unit" u ON u."namespace_id" = v."namespace_id" AND u."unit_id" = v."unit_id"
  WHERE v."namespace_id" = m."namespace_id" AND v."model" = m."model" AND u."plane" = m."plane" AND u."state" = 'live')
WHERE m."model" = 'own';
DELETE FROM "plane_model" WHERE "model" = 'own' AND "vectors" = 0;
