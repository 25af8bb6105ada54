import { nodeHash } from '../../../clients/typescript/src/verify/merkle.ts'

/**
 * The root of a Merkle tree (RFC 6962) of which some leaves are known. Inclusion proofs of the first and the last leaf of each
 * unbroken run give all other nodes that are needed, so that a page of rows takes two proofs and not a hundred.
 */

/** Hashes by the leaves that they cover: `first:end`, with `end` exclusive. */
export type Nodes = Map<string, Uint8Array>

/** The indexes whose inclusion proofs `rootOver` needs: the ends of each run. `indexes` are ascending. */
export const endsOfRuns = (indexes: readonly number[]): number[] =>
  indexes.filter((index, i) => indexes[i - 1] !== index - 1 || indexes[i + 1] !== index + 1)

/** Puts the hashes of an inclusion proof in their places. The proof has been verified, so its length is right. */
export function addSiblings(nodes: Nodes, index: number, size: number, path: readonly Uint8Array[]): void {
  let [first, end] = [0, size]
  for (const hash of path.toReversed()) {
    const middle = first + split(end - first)
    const isLeft = index < middle
    nodes.set(isLeft ? `${middle}:${end}` : `${first}:${middle}`, hash)
    if (isLeft) end = middle
    else first = middle
  }
}

/** `leaves`: index and hash, ascending. Null if a node is missing. */
export async function rootOver(
  size: number,
  leaves: readonly (readonly [number, Uint8Array])[],
  nodes: Nodes,
): Promise<Uint8Array | null> {
  const over = async (first: number, end: number, inside: typeof leaves): Promise<Uint8Array | null> => {
    const [leaf] = inside
    if (leaf === undefined) return nodes.get(`${first}:${end}`) ?? null
    if (end - first === 1) return leaf[1]
    const middle = first + split(end - first)
    const left = await over(
      first,
      middle,
      inside.filter(([index]) => index < middle),
    )
    const right = await over(
      middle,
      end,
      inside.filter(([index]) => index >= middle),
    )
    return left && right && nodeHash(left, right)
  }
  return over(0, size, leaves)
}

/** The largest power of two below `count`, which is at least 2. Logs can be longer than 32 bits. */
function split(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}
