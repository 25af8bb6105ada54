import { paragraph } from '../text/text-columns.ts'
import { inverseNorm, newMatrix } from '../vectors/matrix.ts'
import { place } from './put-unit.ts'
import { none, Shard } from './shard.ts'

/**
 * The living rows in a new shard, in the same order. It contains no word, vector or id of the dead ones. So a snapshot
 * written from it contains nothing that was removed for good.
 */
export function compact(from: Shard): Shard {
  const to = new Shard()
  const wordOf = memo((word) => to.text.intern(from.text.words.text(word)))
  const stringOf = memo((string) => to.strings.intern(from.strings.text(string)))
  const scopeOf = memo((scope) => to.scopes.intern(from.scopes.text(scope)))
  const aclOf = memo((acl) => to.acls.intern(from.acls.text(acl)))
  const living = livingRows(from)
  for (const row of living) {
    const { rows } = from
    for (const column of ['deadAt', 'plane', 'modality', 'createdAt', 'timeStart', 'timeEnd'] as const) {
      to.rows[column].push(rows[column].array[row] ?? 0)
    }
    for (const column of ['docId', 'externalId', 'sourceUri', 'mime'] as const) {
      const string = rows[column].array[row] ?? none
      to.rows[column].push(string === none ? none : stringOf(string - 1) + 1)
    }
    to.rows.scope.push(scopeOf(rows.scope.array[row] ?? 0))
    to.rows.acl.push(aclOf(rows.acl.array[row] ?? 0))
    to.facets.copy(from.facets, row)
    copyVector(from, to, row, ['matrix', 'slot'])
    copyVector(from, to, row, ['otherMatrix', 'otherSlot'])
    to.text.add(Array.from(from.text.row(row), (token) => (token === paragraph ? paragraph : wordOf(token - 1) + 1)))
    const unit = rows.unit.array[row] ?? 0
    place(to, from.unitIds.text(unit), from.seqOf.array[unit] ?? 0)
  }
  return to
}

function livingRows(shard: Shard): number[] {
  const living: number[] = []
  for (let row = 0; row < shard.rowCount; row++) if (shard.rows.deadAt.array[row] === 0) living.push(row)
  return living
}

type Place = readonly ['matrix', 'slot'] | readonly ['otherMatrix', 'otherSlot']

function copyVector(from: Shard, to: Shard, row: number, [matrixColumn, slotColumn]: Place): void {
  const old = from.matrices[(from.rows[matrixColumn].array[row] ?? none) - 1]
  if (old === undefined) {
    to.rows[matrixColumn].push(none)
    to.rows[slotColumn].push(0)
    return
  }
  const { plane, model, dims } = old.state
  const known = to.matrixOf(plane, model, dims)
  const number = known >= 0 ? known : to.matrices.length
  const matrix = to.matrices[number] ?? to.addMatrix(newMatrix(plane, model, dims))
  const values = old.vector(from.rows[slotColumn].array[row] ?? 0)
  to.rows[matrixColumn].push(number + 1)
  to.rows[slotColumn].push(matrix.push(values, inverseNorm(values, dims)))
}

function memo(map: (key: number) => number): (key: number) => number {
  const known = new Map<number, number>()
  return (key) => {
    const found = known.get(key) ?? map(key)
    known.set(key, found)
    return found
  }
}
