import { describe, expect, it } from 'vitest'
import { auc } from '../../bench/faithfulness/auc.ts'
import { pairCollections, readPairs } from '../../bench/faithfulness/pairs.ts'
import { rouge } from '../../bench/faithfulness/rouge.ts'
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createLexicalEntailment } from '../../src/domain/faithfulness/lexical-entailment.ts'

const judge = createLexicalEntailment(textAnalysis)

describe('on pairs that people judged', () => {
  for (const name of pairCollections) {
    const collection = readPairs(name)
    it.skipIf(collection === null)(
      `better than ROUGE-1, -2 and -L, and strict: ${name} (needs the public collections)`,
      async () => {
        if (collection === null) return
        // Enough pairs to show the difference, and fast.
        const every = Math.ceil(collection.pairs.length / 2500)
        const pairs = collection.pairs.filter((_, i) => i % every === 0)
        const supported = collection.supported.filter((_, i) => i % every === 0)
        const bar = Math.max(...Object.values(rouge).map((of) => auc(pairs.map(of), supported)))
        const scores = await judge.score(pairs)
        expect(auc(scores, supported)).toBeGreaterThan(bar)
        const passed = scores.filter((value, i) => !supported[i] && value >= judge.threshold).length
        expect(passed / supported.filter((is) => !is).length).toBeLessThan(0.1)
      },
    )
  }
})
