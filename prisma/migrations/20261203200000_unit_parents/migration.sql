-- Each row of a batch was checked by a statement, which took a third of the batch's time. The counters of the same transaction
-- refer to the same scopes and ACL sets, a vector is written for a Unit that its statement has found or made, and no row of these
-- tables is deleted but vectors. PostgreSQL before 18 cannot keep a constraint without enforcing it, nor read these statements.
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    EXECUTE 'ALTER TABLE "unit" ALTER CONSTRAINT "unit_namespace_id_scope_id_fkey" NOT ENFORCED';
    EXECUTE 'ALTER TABLE "unit" ALTER CONSTRAINT "unit_namespace_id_acl_set_id_fkey" NOT ENFORCED';
    EXECUTE 'ALTER TABLE "unit_vector" ALTER CONSTRAINT "unit_vector_namespace_id_unit_id_fkey" NOT ENFORCED';
  END IF;
END
$$;
