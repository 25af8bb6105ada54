import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Locator } from '../../../src/model/unit.ts'
import type { ParsedFile } from '../../../src/ports/parser.ts'
import { sampled } from '../../support/amounts.ts'
import { foreignFile, foreignNames, hasForeignFiles } from '../../support/documents/foreign-files.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'
import { order, type PlacedWord, placedWords, recall, words } from '../../support/documents/pdf-words.ts'

const yardsticks = (await foreignNames('pdf-as-markdown')).map((name) => name.replace(/\.md$/, ''))
const locked = '2206.01062_pg3.pdf'
const readable = (await foreignNames('pdf')).filter((name) => name !== locked)
const minRecall = 0.95

describe.skipIf(!hasForeignFiles)(
  `PDFs of others${hasForeignFiles ? '' : ' (skipped: the files are not here)'}`,
  () => {
    let parser: TestParser
    beforeAll(async () => {
      parser = await createTestParser()
    })
    afterAll(() => parser[Symbol.asyncDispose]())

    const parsed = new Map<string, Promise<ParsedFile>>()
    const parse = (name: string): Promise<ParsedFile> => {
      const file = parsed.get(name) ?? foreignFile(`pdf/${name}`).then((bytes) => parser.parseBytes(name, bytes))
      parsed.set(name, file)
      return file
    }

    it.each(sampled(yardsticks, 4))('%s has the words of the yardstick in their order', async (name) => {
      const { text } = await parse(`${name}.pdf`)
      const wanted = words(
        (await foreignFile(`pdf-as-markdown/${name}.md`)).toString().replace(/<!--.*?-->|&\w+;/g, ' '),
      )
      expect(recall(words(text ?? ''), wanted)).toBeGreaterThan(minRecall)
      expect(order(words(text ?? ''), wanted)).toBeGreaterThan(0.9)
    })

    it.each(sampled(readable, 8))(
      '%s: each box holds the words of its chunk, each chunk is a slice of its page',
      async (name) => {
        const { text, units } = await parse(name)
        const placed = await placedWords(await foreignFile(`pdf/${name}`))
        expect(units.length).toBeGreaterThan(0)
        for (const { modality, locator, text: chunk } of units) {
          if (modality !== 'chunk' || locator?.kind !== 'bbox') continue
          expect(text?.split('\f')[(locator.page ?? 0) - 1]).toContain(chunk)
          const inside = (placed[(locator.page ?? 0) - 1] ?? []).filter((word) => isInside(word, locator))
          const letters = inside.map(({ word }) => word).join('')
          const held = new Set(inside.map(({ word }) => sorted(word)))
          const outside = words(chunk ?? '').filter((word) => !held.has(sorted(word)) && !letters.includes(word))
          expect(outside.length / words(chunk ?? '').length).toBeLessThan(0.05)
        }
      },
    )

    it('a locked one is named', async () => {
      await expect(parse(locked)).rejects.toMatchObject({
        reason: 'locked',
      })
    })
  },
)

function isInside({ left, right, middle }: PlacedWord, box: Extract<Locator, { kind: 'bbox' }>): boolean {
  const slack = 0.002
  return left >= box.x - slack && right <= box.x + box.w + slack && middle >= box.y && middle <= box.y + box.h
}

/** The library that places the words leaves two letters of an Arabic ligature in the order of the page. */
const sorted = (word: string) => [...word].sort().join('')
