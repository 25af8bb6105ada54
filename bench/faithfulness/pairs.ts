import { existsSync, readFileSync } from 'node:fs'
import type { EntailmentPair } from '../../src/ports/models/entailment.ts'

/** A public collection of pairs with human judgements. */
export interface PairCollection {
  name: string
  pairs: EntailmentPair[]
  /** Whether the hypothesis follows from the premise, one value per pair. */
  supported: boolean[]
}

export const pairCollections = ['qags', 'sick', 'climate-fever'] as const

/** All other labels count as unsupported: contradicted, neutral, or not enough information. */
const supportedLabels = new Set(['supported', 'ENTAILMENT', 'SUPPORTS'])

const root = new URL('../../../shared/data/faithfulness/', import.meta.url)

/** Null if it is not available next to the project. */
export function readPairs(name: (typeof pairCollections)[number]): PairCollection | null {
  const file = new URL(`${name}/pairs.jsonl`, root)
  if (!existsSync(file)) return null
  const rows = readFileSync(file, 'utf8').trim().split('\n').map(toRow)
  return { name, pairs: rows, supported: rows.map(({ label }) => supportedLabels.has(label)) }
}

function toRow(line: string): EntailmentPair & { label: string } {
  const { premise, hypothesis, label } = JSON.parse(line)
  return { premise, hypothesis, label }
}
