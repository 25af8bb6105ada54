import { expect, test } from 'vitest'
import { createCompactRange } from '../../src/model/compact-range.ts'
import {
  consistencyPath,
  emptyRoot,
  inclusionPath,
  type LeafRange,
  leafHash,
  provesConsistency,
  provesInclusion,
  rootOf,
  subtreesOf,
} from '../../src/model/merkle.ts'
import { consistencyProof, inclusionProof, sha256, treeHash } from '../vectors/naive.ts'

const most = 17
const sizes = Array.from({ length: most }, (_, i) => i + 1)
const leaves = Array.from({ length: most }, (_, i) => sha256(Buffer.of(0), `leaf ${i}`))
const first = (size: number) => leaves.slice(0, size)
const hex = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'))

/** What stands for a range in a proof, by way of the subtrees it falls into. */
const rangeRoot = (range: LeafRange) =>
  rootOf(
    subtreesOf(range).map(({ level, index }) => treeHash(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))),
  )

test('leaves and the empty tree are those of RFC 6962', () => {
  expect(hex([leafHash(Buffer.from('leaf 3'))])).toEqual(hex([leaves[3] ?? emptyRoot]))
  // SHA-256 of nothing.
  expect(hex([emptyRoot])).toEqual(['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'])
})

test.each(sizes)('a tree of %i leaves has its root, however it grows', (size) => {
  const expected = hex([treeHash(first(size))])
  for (let start = 0; start <= size; start += 1) {
    const peaks = subtreesOf({ begin: 0, end: start }).map(({ level, index }) =>
      treeHash(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    )
    const range = createCompactRange({ size: start, peaks })
    for (const leaf of leaves.slice(start, size)) range.append(leaf.toString('latin1'))
    expect(hex([range.root()]), `from ${start}`).toEqual(expected)
  }
})

test.each(sizes)('in a tree of %i leaves each is proved, and no other in its place', (size) => {
  const root = treeHash(first(size))
  for (let index = 0; index < size; index += 1) {
    const proof = inclusionProof(index, first(size))
    expect(hex(inclusionPath(index, size).map(rangeRoot))).toEqual(hex(proof))
    for (let place = 0; place <= size; place += 1) {
      const leaf = leaves[index] ?? emptyRoot
      expect(provesInclusion(leaf, place, size, proof, root), `${index} at ${place}`).toBe(place === index)
    }
    expect(provesInclusion(emptyRoot, index, size, proof, root)).toBe(false)
  }
})

test.each(sizes)('a tree of %i leaves continues each smaller one, and nothing else', (size) => {
  const root = treeHash(first(size))
  for (let from = 1; from <= size; from += 1) {
    const proof = consistencyProof(from, first(size))
    const oldRoot = treeHash(first(from))
    expect(hex(consistencyPath(from, size).map(rangeRoot))).toEqual(hex(proof))
    expect(provesConsistency(from, size, proof, oldRoot, root)).toBe(true)
    expect(provesConsistency(from, size, proof, emptyRoot, root)).toBe(false)
    expect(provesConsistency(from, size, proof, oldRoot, emptyRoot)).toBe(false)
    expect(provesConsistency(from, size, [...proof, root], oldRoot, root)).toBe(false)
    for (const [i] of proof.entries()) {
      expect(provesConsistency(from, size, proof.with(i, emptyRoot), oldRoot, root), `${from}, ${i}`).toBe(false)
    }
  }
})
