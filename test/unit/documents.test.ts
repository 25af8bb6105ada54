import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { errorTable } from '../../src/errors.ts'
import { blocksOf, pages, readPage } from '../support/texts/documents.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const withoutBlocks = (markdown: string) => markdown.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The anchor that GitHub makes for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const headingsOf = (markdown: string) =>
  [...withoutBlocks(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)

const linksOf = (markdown: string) =>
  [...withoutBlocks(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

/** The error of a link in a page, or null. */
function problemOf(page: string, link: string): string | null {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return `${page}: ${link} does not exist`
  if (anchor === undefined) return null
  const anchors = headingsOf(readPage(target)).map(anchorOf)
  return anchors.includes(anchor) ? null : `${page}: ${link} has no such heading`
}

test('the README has at most 120 lines', () => {
  expect(readPage('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})

test('every relative link and anchor of the documents leads somewhere', () => {
  const links = pages.flatMap((page) => linksOf(readPage(page)).map((link) => ({ page, link })))
  expect(links.length).toBeGreaterThan(100)
  expect(links.flatMap(({ page, link }) => problemOf(page, link) ?? [])).toEqual([])
  expect(problemOf('README.md', 'docs/nowhere.md')).not.toBeNull()
  expect(problemOf('README.md', 'docs/api.md#nowhere')).not.toBeNull()
})

test('every page of docs is in the index, and every common question leads to a heading of its own', () => {
  const index = readPage('docs/README.md')
  const listed = linksOf(index).map((link) => normalize(join('docs', link.split('#')[0] ?? '')))
  const expected = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md')
  expect(listed).toEqual(expect.arrayContaining(expected))
  for (const question of [
    'How do I back up?',
    'How do I connect Ollama?',
    'Why is this hit hidden?',
    'How do I rotate a key?',
    'How do I upgrade?',
  ]) {
    expect(index).toMatch(new RegExp(`^\\| ${question.replace('?', '\\?')} \\| \\[[^\\]]+\\]\\([^)]+#[^)]+\\)`, 'm'))
  }
})

test('an example that calls the service is one that a test runs', () => {
  const calls = pages
    .filter((page) => !page.startsWith('deploy/'))
    .flatMap((page) => blocksOf(readPage(page)).map(({ info, text }) => ({ page, info, text })))
    .filter(({ info, text }) => info.startsWith('sh') && text.includes('http://127.0.0.1:8787'))
  expect(calls.length).toBeGreaterThan(10)
  expect(calls.filter(({ info }) => info !== 'sh run')).toEqual([])
})

test('docs/api.md lists every error code with its status', () => {
  const rows = [...readPage('docs/api.md').matchAll(/^\| (\d{3}) \| ((?:`[a-z_]+`(?:, )?)+) \|/gm)]
  const listed = rows.flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/[a-z_]+/g)].map(([code]) => [code, Number(status)]),
  )
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(Object.entries(errorTable).map(([code, { status }]) => [code, status])),
  )
})

test('the changelog has the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(headingsOf(readPage('CHANGELOG.md')).some((heading) => heading.startsWith(`[${version}]`))).toBe(true)
})

test('the table of clients has the versions that are tested, and the lines of their examples', () => {
  const table = readPage('docs/connect/README.md')
  const rows = [...table.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \| ([^|]*) \|.*\| ([^|]*) \|$/gm)]
  expect(rows.length).toBeGreaterThan(10)
  const { devDependencies: own } = JSON.parse(readPage('package.json'))
  const { devDependencies: client } = JSON.parse(readPage('clients/typescript/package.json'))
  for (const [, name = '', link = '', version = '', lines = ''] of rows) {
    const [path = '', anchor] = link.split('#')
    const page = readPage(normalize(join('docs/connect', path)))
    const section = anchor === undefined ? page : sectionOf(page, anchor)
    const [, dependency = '', pinned = ''] = /^(\S+) (\S+)$/.exec(version) ?? []
    if (name !== 'OpenAI, Python' && (own[dependency] ?? client[dependency]))
      expect({ name, pinned }).toEqual({ name, pinned: own[dependency] ?? client[dependency] })
    if (!/^\d+$/.test(lines)) continue
    const blocks = blocksOf(section)
    const { text = '' } = blocks.find(({ info }) => !info.startsWith('sh')) ?? blocks[0] ?? {}
    expect({ name, lines }).toEqual({ name, lines: `${text.split('\n').filter((line) => line.trim() !== '').length}` })
    expect(Number(lines), name).toBeLessThanOrEqual(10)
  }
  for (const page of pages.filter((one) => /^docs\/connect\/(?!README)/.test(one)))
    expect(table).toContain(`](${page.replace('docs/connect/', '')}`)
})

const sectionOf = (page: string, anchor: string): string =>
  page.split(/^(?=#{1,6} )/m).find((part) => anchorOf(/^#{1,6} (.+)$/m.exec(part)?.[1] ?? '') === anchor) ?? ''
