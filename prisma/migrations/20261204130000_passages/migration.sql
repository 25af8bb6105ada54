-- A local model's vector was that of the beginning of a long text; now each of its passages has one. Such Units are embedded again,
-- and keep their vector until then.
UPDATE "unit" u SET "embed_pending" = true
FROM "plane_model" m JOIN "unit_vector" v ON v."namespace_id" = m."namespace_id" AND v."model" = m."model"
WHERE m."model" LIKE '%/ort' AND octet_length(v."vector") = 4 * m."dims"
  AND u."namespace_id" = v."namespace_id" AND u."unit_id" = v."unit_id" AND u."plane" = m."plane" AND u."state" = 'live'
  -- Over 190 words, which some scripts write without spaces, in more bytes.
  AND (array_length(regexp_split_to_array(u."text", '\s+'), 1) > 190
    OR length(u."text") > 190 AND octet_length(u."text") > 1.5 * length(u."text"));
