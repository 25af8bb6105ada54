/** Tables whose rows nobody may change. */
export const auditTables = ['audit_row', 'audit_node', 'audit_checkpoint']

/** Inserts a row into such a table, if the log has none yet: a row trigger does not run on an empty table. */
export const auditSample = `
  INSERT INTO audit_node (namespace_id, level, index, hash) SELECT id, 60, 0, '\\x00' FROM namespace
  ON CONFLICT DO NOTHING;
  INSERT INTO audit_checkpoint (namespace_id, size, root, note, time) SELECT id, 1000000, '\\x00', 'n', 0 FROM namespace
  ON CONFLICT DO NOTHING`
