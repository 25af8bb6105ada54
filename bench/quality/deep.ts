import type { BenchServer } from '../support/server.ts'

/** A search as it went over HTTP, and the external ids that it answered, best first. */
export interface Asked {
  server: BenchServer
  scope: string
  body: object
  ranked: readonly string[]
}

/** How deep recall looks: as deep as `deepRanking` ranks. */
export const recallDepth = 50

/** The external ids that the same search ranks, down to `recallDepth`: what the wire answers, whose `top_k` ends at 50. */
export async function deepRanking({ ranked }: Asked): Promise<readonly string[]> {
  return ranked
}
