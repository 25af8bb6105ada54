import { describe, expect, it } from 'vitest'
import {
  consistencyPath,
  createCompactRange,
  emptyRoot,
  inclusionPath,
  type LeafRange,
  leafHash,
  provesConsistency,
  provesInclusion,
  rootOf,
  type Subtree,
  subtreesOf,
} from '../../src/model/merkle.ts'
// Implemented independently of the service, from the text of RFC 6962.
import { consistencyProof, inclusionProof, treeHash } from '../vectors/naive.ts'

const max = 40
const leaves = Array.from({ length: max }, (_, i) => leafHash(Buffer.from(`row ${i}`)))
const roots = Array.from({ length: max + 1 }, (_, size) => treeHash(leaves.slice(0, size)))
const root = (size: number) => roots[size] ?? Buffer.of()
const hashOf = ({ begin, end }: LeafRange) => treeHash(leaves.slice(begin, end))
const spanOf = ({ level, index }: Subtree) => ({ begin: index * 2 ** level, end: (index + 1) * 2 ** level })
const sizes = Array.from({ length: max }, (_, i) => i + 1)
const flipped = (bytes: Uint8Array) => Buffer.from(bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte)))

describe('the tree', () => {
  // From the published test data of the certificate transparency project: the leaves '', 00, 10, 2021, 3031, 40414243,
  // …
  it('has the roots that are published', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
    const range = createCompactRange()
    for (const input of inputs) range.append(leafHash(Buffer.from(input, 'hex')).toString('latin1'))
    expect(Buffer.from(range.root()).toString('hex')).toBe(
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    )
    expect(emptyRoot.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('grows leaf by leaf, from any size on, and tells of each subtree once', () => {
    for (const size of [0, ...sizes]) {
      const peaks = subtreesOf({ begin: 0, end: size }).map((subtree) => hashOf(spanOf(subtree)))
      const seen: string[] = []
      const range = createCompactRange({ size, peaks }, (subtree, hash) => {
        expect(Buffer.from(hash)).toEqual(hashOf(spanOf(subtree)))
        seen.push(`${subtree.level}/${subtree.index}`)
      })
      expect(Buffer.from(range.root())).toEqual(root(size))
      for (const leaf of leaves.slice(size)) {
        range.append(leaf.toString('latin1'))
        expect(Buffer.from(range.root())).toEqual(root(range.size))
      }
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  it('falls into complete subtrees', () => {
    for (const size of sizes) {
      for (const range of [...inclusionPath(size - 1, size), ...consistencyPath(Math.ceil(size / 3), size)]) {
        const parts = subtreesOf(range).map((subtree) => hashOf(spanOf(subtree)))
        expect(Buffer.from(rootOf(parts))).toEqual(hashOf(range))
      }
    }
  })
})

describe('inclusion', () => {
  it('of every leaf in every tree is proved, of another leaf or at another place it is not', () => {
    for (const size of sizes) {
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionPath(index, size).map(hashOf)
        expect(proof).toEqual(inclusionProof(index, leaves.slice(0, size)))
        const leaf = leaves[index] ?? Buffer.of()
        expect(provesInclusion(leaf, index, size, proof, root(size))).toBe(true)
        expect(provesInclusion(flipped(leaf), index, size, proof, root(size))).toBe(false)
        if (size > 1) expect(provesInclusion(leaf, (index + 1) % size, size, proof, root(size))).toBe(false)
        expect(provesInclusion(leaf, index, size, [...proof, leaf], root(size))).toBe(false)
        expect(provesInclusion(leaf, index, size, proof.slice(1), root(size))).toBe(proof.length === 0)
        for (let i = 0; i < proof.length; i += 1) {
          const forged = proof.map((hash, at) => (at === i ? flipped(hash) : hash))
          expect(provesInclusion(leaf, index, size, forged, root(size))).toBe(false)
        }
      }
    }
    expect(provesInclusion(leaves[0] ?? Buffer.of(), 1, 1, [], root(1))).toBe(false)
    expect(provesInclusion(leaves[0] ?? Buffer.of(), -1, 1, [], root(1))).toBe(false)
  })
})

describe('consistency', () => {
  it('of every tree with every later one is proved, with another one it is not', () => {
    for (const size of sizes) {
      for (let from = 1; from <= size; from += 1) {
        const proof = consistencyPath(from, size).map(hashOf)
        expect(proof).toEqual(consistencyProof(from, leaves.slice(0, size)))
        expect(provesConsistency(from, size, proof, root(from), root(size))).toBe(true)
        expect(provesConsistency(from, size, proof, flipped(root(from)), root(size))).toBe(false)
        expect(provesConsistency(from, size, proof, root(from), flipped(root(size)))).toBe(false)
        expect(provesConsistency(from, size, [...proof, root(1)], root(from), root(size))).toBe(false)
        for (let i = 0; i < proof.length; i += 1) {
          const forged = proof.map((hash, at) => (at === i ? flipped(hash) : hash))
          expect(provesConsistency(from, size, forged, root(from), root(size))).toBe(false)
        }
      }
    }
    expect(provesConsistency(0, 1, [], emptyRoot, root(1))).toBe(false)
    expect(provesConsistency(2, 1, [], root(2), root(1))).toBe(false)
  })
})
