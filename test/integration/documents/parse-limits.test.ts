import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shortOrLong } from '../../support/amounts.ts'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'
import { eventually } from '../../support/waited.ts'

const mebibyte = 2 ** 20
const random = (length: number, seed: number) => {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state >>> 16
  })
}

describe('hostile files', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser({ timeoutMs: 20_000 })
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  /** The reason, or null for a file that was read. */
  const outcome = async (name: string, content: string | Uint8Array) => {
    try {
      const parsed = await parser.parseBytes(name, content)
      checkLocators(parsed, Buffer.from(content))
      return null
    } catch (error) {
      const { reason } = error as { reason?: string }
      if (reason === undefined) throw error
      return reason
    }
  }

  it.each(['md', 'csv', 'html', 'txt', 'json', 'yaml', 'xml', 'vtt', 'srt', 'log', 'jsonl', 'py', 'rst'])(
    'names random bytes called .%s',
    async (extension) => {
      for (const seed of [1, 2, 3]) expect(await outcome(`a.${extension}`, random(3000, seed))).toBe('malformed')
    },
  )

  it('reads deep nesting, or says why not', async () => {
    expect(await outcome('a.json', '['.repeat(200_000) + ']'.repeat(200_000))).toBe(null)
    expect(await outcome('a.json', '['.repeat(200_000))).toBe('malformed')
    expect(await outcome('a.xml', `${'<a>'.repeat(100_000)}words${'</a>'.repeat(100_000)}`)).toBe(null)
    expect(await outcome('a.html', `${'<div>'.repeat(20_000)}words`)).toBe(null)
    expect(await outcome('a.html', `${'<b>'.repeat(20_000)}words`)).toBe(null)
    expect(await outcome('a.md', `${'> '.repeat(100_000)}words`)).toBe(null)
    expect(await outcome('b.md', `${'['.repeat(100_000)}words`)).toBe(null)
    expect(await outcome('a.ts', `${'{'.repeat(100_000)}`)).toBe(null)
    expect(await outcome('a.py', Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}if x:`).join('\n'))).toBe(null)
  })

  it('does not expand entities', async () => {
    const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(20)}">`)
    const bomb = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "ha">${entities.join('')}]><a>&e20;</a>`
    expect(await outcome('a.xml', bomb)).toBe(null)
    expect(await outcome('b.xml', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>words</a>')).toBe(null)
    const aliases = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)
    expect(await outcome('a.yaml', `a0: &a0 lol\n${aliases.join('\n')}`)).toBe(null)
  })

  it('reads a table of 200,000 columns', async () => {
    const row = (cell: string) => Array.from({ length: 200_000 }, (_, i) => `${cell}${i}`).join(',')
    const { units } = await parser.parseBytes('a.csv', [row('column'), row('a'), row('b')].join('\n'))
    expect(units.length).toBeGreaterThan(2)
    for (const { text, locator } of units) {
      expect(text?.length).toBeLessThan(10_000)
      expect(locator).toMatchObject({ kind: 'line_range' })
    }
  })

  it('reads a huge line, and what makes some expressions slow', async () => {
    const long = 4 * mebibyte
    expect(await outcome('a.txt', 'a'.repeat(long))).toBe(null)
    expect(await outcome('a.md', `${' '.repeat(long)}a`)).toBe(null)
    expect(await outcome('a.log', 'word '.repeat(long / 5))).toBe(null)
    const names = ['a.md', 'a.rst', 'a.csv', 'a.html', 'a.vtt', 'a.ts', 'a.log', 'a.txt', 'a.yaml']
    const units = ['=', '-', '|', '`', '#', '*', '_', '\\', '<', '![', '](', '\t', '"', ',', "'", '&', '{', '\u00a0']
    for (const [i, unit] of units.entries()) {
      const text = `a\n${unit.repeat(30_000)}\nb ${`${unit} `.repeat(10_000)}!`
      // In short, each format meets a third of them, and Markdown all.
      for (const name of names.filter((_, j) => j === 0 || (i + j) % shortOrLong(3, 1) === 0)) {
        const vtt = name === 'a.vtt' ? `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}` : text
        // Some of these are not YAML.
        const found = await outcome(name, vtt)
        if (name !== 'a.yaml' || found !== 'malformed') expect([name, unit, found]).toEqual([name, unit, null])
      }
    }
  })

  it('says what is too large', async () => {
    expect(await outcome('a.txt', new Uint8Array(64 * mebibyte + 1).fill(97))).toBe('too_large')
    expect(await outcome('a.jsonl', '{"text":"a"}\n'.repeat(10_001))).toBe('too_many_units')
    expect(await outcome('a.md', '# a\n\nb\n\n'.repeat(10_001))).toBe('too_many_units')
  })
})

describe('the processes that parse', () => {
  const page = `${'<div>'.repeat(1_200_000)}words`

  it('end a file that takes too long, and read the next one', async () => {
    await using parser = await createTestParser({ timeoutMs: 1_500, memoryBytes: 4096 * mebibyte })
    await expect(parser.parseBytes('a.html', page.repeat(4))).rejects.toMatchObject({ reason: 'timeout' })
    // A busy machine may need longer than that to start a process.
    const next = () => parser.parseBytes('a.txt', 'words').then(({ units }) => units.length)
    await eventually(async () => expect(await next()).toBe(1))
  })

  it('end a file that needs too much memory, and read the next one', async () => {
    await using parser = await createTestParser({ memoryBytes: 160 * mebibyte })
    const list = `[${'{"a":[1]},'.repeat(3_000_000)}1]`
    await expect(parser.parseBytes('a.json', list)).rejects.toMatchObject({ reason: 'out_of_memory' })
    expect((await parser.parseBytes('a.txt', 'words')).units).toHaveLength(1)
  })

  it('stop on a signal, running or waiting', async () => {
    await using parser = await createTestParser({ memoryBytes: 4096 * mebibyte })
    const stop = new AbortController()
    // Seconds of work, however fast this machine is.
    const running = parser.parseBytes('a.html', page.repeat(4), { stop: stop.signal })
    const waiting = parser.parseBytes('b.html', page, { stop: stop.signal })
    // Both at once: on a busy machine either may be the first to end.
    const both = Promise.allSettled([running, waiting])
    setTimeout(() => stop.abort(new Error('stopped')), 500)
    for (const ended of await both) expect(ended).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } })
    expect((await parser.parseBytes('a.txt', 'words')).units).toHaveLength(1)
  })

  it('end when the service does, with the files that wait', async () => {
    const parser = await createTestParser({ memoryBytes: 4096 * mebibyte })
    const all = ['a.html', 'b.html', 'c.html'].map((name) => parser.parseBytes(name, page.repeat(4)))
    const settled = Promise.allSettled(all)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await parser[Symbol.asyncDispose]()
    for (const { status } of await settled) expect(status).toBe('rejected')
  })

  it('hold the event loop of the service for no longer than a message takes', async () => {
    await using parser = await createTestParser()
    const text = 'A sentence of some words, and then some more. '.repeat(400_000)
    // By what this thread itself worked between two ticks: others use this machine, too.
    let last = process.threadCpuUsage()
    let longest = 0
    const timer = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last)
      longest = Math.max(longest, (user + system) / 1000)
      last = process.threadCpuUsage()
    }, 5)
    const { units } = await parser.parseBytes('a.txt', text)
    clearInterval(timer)
    expect(units.length).toBeGreaterThan(1000)
    expect(longest).toBeLessThan(1_000)
  })
})
