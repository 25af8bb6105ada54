import { describe, expect, test } from 'vitest'
import { writesOf } from '../../src/adapters/catalog/memory/commits.ts'

describe('the tables that a statement writes', () => {
  test.each([
    ['SELECT * FROM unit', []],
    ['SELECT h.seq FROM head h WHERE id = $1 FOR UPDATE OF h FOR SHARE OF n', []],
    ['SELECT 1 FROM token FOR NO KEY UPDATE', []],
    ['INSERT INTO "public"."grant" ("id") VALUES ($1) RETURNING "id"', ['grant']],
    ['insert into billing_customer AS c (a) SELECT 1 ON CONFLICT (a) DO UPDATE SET own = c.own', ['billing_customer']],
    [
      'WITH a AS (INSERT INTO audit_row (x) SELECT 1) UPDATE head SET seq = $1, audit_seq = $2 WHERE id = $3',
      ['audit_row', 'head'],
    ],
    [
      'WITH gone AS (DELETE FROM unit_vector WHERE a RETURNING b) DELETE\n  FROM ONLY unit USING gone',
      ['unit_vector', 'unit'],
    ],
    ['MERGE INTO scope USING x ON a = b WHEN MATCHED THEN DO NOTHING', ['scope']],
    ['TRUNCATE TABLE unit', ['unit']],
    ['VACUUM (INDEX_CLEANUP ON) unit', []],
  ])('%s', (sql, tables) => {
    expect(writesOf(sql)).toEqual({ tables })
  })

  test.each([
    ['UPDATE "public"."token" SET "last_used_at" = $1 WHERE "id" = $2', []],
    ['UPDATE token SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE token.hash = used.hash', []],
    ['UPDATE token SET last_used_at = $1, expires_at = $2', ['token']],
    ['UPDATE head SET documents = $1, audit_seq = $2, audit_hash = (SELECT max(a) FROM b) WHERE c = $3', []],
    ['UPDATE head SET seq = $1 WHERE c = $2', ['head']],
    ['UPDATE head AS h SET (documents, seq) = (1, 2)', ['head']],
  ])('leave out columns that the memory does not hold: %s', (sql, tables) => {
    expect(writesOf(sql)).toEqual({ tables })
  })

  test.each([
    'ALTER TABLE unit DROP COLUMN text',
    'DO $$ BEGIN END $$',
    'CALL f()',
    'EXECUTE s1',
    'COPY unit FROM STDIN',
  ])('may be any: %s', (sql) => {
    expect(writesOf(sql)).toEqual({ tables: null })
  })
})
