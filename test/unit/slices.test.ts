import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonTooLargeError, parseJsonInSlices, stringifyInSlices } from '../../src/async/json.ts'
import { Slices } from '../../src/async/pieces.ts'

const parse = (text: string) => parseJsonInSlices(Buffer.from(text))
const long = 'é"\\ \u0001'.repeat(8_000)

async function stringify(value: unknown): Promise<string> {
  let text = ''
  for await (const piece of stringifyInSlices(value)) text += piece
  return text
}

/** Values with parts, anywhere in them, that are too long to parse or write in one slice. */
const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.constant(long), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 6 }),
  object: fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 6 }),
})).value

describe('JSON in slices', () => {
  it('is what JSON.parse and JSON.stringify make, whatever is long in it', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
        const text = JSON.stringify({ value, also: long }, null, space)
        const parsed = await parse(text)
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)))
        expect(await stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 60 },
    )
  })

  it('refuses what JSON.parse refuses', async () => {
    const text = JSON.stringify({ units: [{ text: long }, { text: long, vector: [1, 2] }], n: 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.constantFrom('', ',', '}', ']', '"', ':', 'x'),
        async (at, piece) => {
          const broken = `${text.slice(0, at)}${piece}${text.slice(at + 1)}`
          const native = (() => {
            try {
              return JSON.stringify(JSON.parse(broken))
            } catch {
              return 'refused'
            }
          })()
          const ours = await parse(broken).then(
            (value) => JSON.stringify(value),
            () => 'refused',
          )
          expect(ours).toBe(native)
        },
      ),
      { numRuns: 200 },
    )
    await expect(parseJsonInSlices(Buffer.from([0x22, 0xff, 0x22]))).rejects.toThrow(TypeError)
  })

  it('refuses long lists and deep values early, and says where', async () => {
    const refused = async (text: string) => {
      const error: unknown = await parse(text).catch((error: unknown) => error)
      return error instanceof JsonTooLargeError ? [error.path.join('.'), error.message] : error
    }
    const ids = Array.from({ length: 10_001 }, () => 'identifier')
    expect(await refused(JSON.stringify({ input: { ids } }))).toEqual(['input.ids', 'must be at most 10000 items'])
    expect(await parse(JSON.stringify({ ids: ids.slice(1) }))).toEqual({ ids: ids.slice(1) })
    expect(await refused(`[${'['.repeat(100_000)}`)).toEqual(['0.0.0.0', 'must be nested at most 32 levels deep'])
  })
})

describe('slices', () => {
  it('let everything else in between, however many there are at once', async () => {
    const busy = async () => {
      const slices = new Slices()
      for (let i = 0; i < 5; i++) {
        const end = performance.now() + 10
        while (performance.now() < end);
        if (slices.isOver) await slices.next()
      }
    }
    let [rounds, done] = [0, false]
    const count = () => {
      rounds++
      if (!done) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all(Array.from({ length: 5 }, busy))
    done = true
    // Every slice except the first of each task has its own turn of the event loop.
    expect(rounds).toBeGreaterThanOrEqual(20)
  })
})
