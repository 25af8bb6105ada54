/**
 * The console in Chromium: what it loads, when it can be used on a slow machine, whether long lists stay smooth, and how
 * soon keys show.
 * `npm run bench:console -- [--documents 10000] [--pages 500] [--rounds 5]`.
 */
import { noBrowser, openBrowser } from '../../test/support/browser/browser.ts'
import { readArguments } from '../support/arguments.ts'
import { benchDir, exitOnSignals } from '../support/leave-nothing.ts'
import { call, startService, stopService } from '../support/service.ts'
import { printTable, short } from '../support/table.ts'
import { addDocuments, addPdf, listPrefix, pdfName } from './fill.ts'
import { type Pressed, showsOfKeys } from './keys.ts'
import type { Observed } from './observe.ts'
import { type Scrolled, tasksOfScrolling } from './scroll.ts'
import type { Task } from './tasks.ts'
import { openCold } from './usable.ts'

exitOnSignals()
const { values } = readArguments({
  options: {
    documents: { type: 'string', default: '10000' },
    pages: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
  },
})
const [documents, pages, rounds] = [Number(values.documents), Number(values.pages), Number(values.rounds)]
if (noBrowser !== null) throw new Error(noBrowser)

const folder = benchDir('console')
await using service = await startService(folder.path)
const { url } = service
const { tokens } = (await call(url, '/v1/admin/seed', {})) as { tokens: { enterprise: string } }
const key = tokens.enterprise
await addDocuments(url, key, documents)
const units = await addPdf(url, key, pages)
const browser = await openBrowser()

const starts = [
  { path: '/welcome', controls: ['input[name="key"]'] },
  { path: '/search?q=ferry&scope=*', key, controls: ['input[type="search"]', '[aria-label="Results"] li'] },
]
const rows: string[][] = []
for (const start of starts) {
  const seen: Observed[] = []
  for (let round = 0; round < rounds; round++) seen.push(await openCold(browser, url, start))
  const times = seen.map(({ usableMs }) => usableMs).toSorted((a, b) => a - b)
  const largest = (of: (one: Observed) => number) => Math.max(...seen.map(of))
  rows.push([
    start.path,
    short(largest(({ scripts }) => scripts) / 1000),
    short(largest(({ styles }) => styles) / 1000),
    short(Math.min(...times)),
    short(times[Math.floor(rounds / 2)] ?? Number.NaN),
    short(Math.max(...times)),
    largest(({ layoutShift }) => layoutShift).toFixed(3),
  ])
}
printTable(
  `Until usable with an empty cache on a CPU slowed 4 times, ${rounds} rounds`,
  ['page', 'JavaScript kB', 'CSS kB', 'fastest ms', 'median ms', 'slowest ms', 'layout shift'],
  rows,
)

/** A longer task is felt. */
const budgetMs = 100
const scrolled: Record<string, Scrolled> = {
  [`${documents.toLocaleString('en')} documents`]: {
    path: `/documents?prefix=${listPrefix}&scope=*`,
    key,
    inside: (page) => page.getByRole('table', { name: 'Documents' }).getByRole('link'),
    last: (page) => page.locator(`[data-item="${documents - 1}"] a`),
  },
  [`PDF of ${pages} pages, ${units.toLocaleString('en')} Units`]: {
    path: `/view?doc=${pdfName}&scope=*`,
    key,
    inside: (page) => page.getByRole('img', { name: 'Page 1', exact: true }),
    last: (page) => page.getByRole('img', { name: `Page ${pages}`, exact: true }),
  },
}
const scrolls: string[][] = []
for (const [name, target] of Object.entries(scrolled)) {
  for (const rate of [1, 4]) {
    const tasks = await tasksOfScrolling(browser, url, rate, target)
    const long = (of: (task: Task) => number) => [
      short(Math.max(...tasks.map(of))),
      `${tasks.filter((task) => of(task) > budgetMs).length}`,
    ]
    scrolls.push([
      name,
      `${rate}x`,
      ...long(({ ofThread }) => ofThread),
      ...long(({ byClock }) => byClock),
      `${tasks.length}`,
    ])
  }
}
printTable(
  'Scrolled from start to end: tasks of the main thread, by its own time and by the clock',
  ['what', 'CPU slowed', 'longest ms', 'over 100 ms', 'longest by clock ms', 'over 100 ms by clock', 'tasks'],
  scrolls,
)

const pressed: Record<string, Pressed> = {
  'a query typed into Search': {
    path: '/search?q=ferry&top=20&scope=*',
    key,
    until: async (page) => {
      await page.locator('[aria-label="Results"] li').first().waitFor()
      await page.getByRole('searchbox').focus()
    },
    keys: [...' in the evening and at night'],
  },
  '`j` and `x` through its hits': {
    path: '/search?q=ferry&top=20&scope=*',
    key,
    until: (page) => page.locator('[aria-label="Results"] li').first().waitFor(),
    keys: Array.from({ length: 10 }, () => ['j', 'x']).flat(),
  },
  'the palette, opened and typed into': {
    path: '/search?q=ferry&scope=*',
    key,
    until: (page) => page.locator('[aria-label="Results"] li').first().waitFor(),
    keys: ['Control+k', ...'documents', 'Escape', 'Control+k', ...'health', 'Escape'],
  },
  'a filter typed into Documents': {
    path: '/documents?scope=*',
    key,
    until: async (page) => {
      await page.getByRole('table', { name: 'Documents' }).getByRole('link').first().waitFor()
      await page.getByRole('textbox', { name: 'Filter' }).focus()
    },
    keys: [...`${listPrefix}000123`],
  },
}
const shows: string[][] = []
for (const [name, keys] of Object.entries(pressed)) {
  const shown = await showsOfKeys(browser, url, 4, keys)
  const times = shown.times.toSorted((a, b) => a - b)
  shows.push([
    name,
    `${times.length}`,
    short(times[Math.floor(times.length / 2)] ?? Number.NaN),
    short(times.at(-1) ?? Number.NaN),
    `${times.filter((time) => time > budgetMs).length}`,
    short(Math.max(...shown.tasks.map(({ ofThread }) => ofThread))),
  ])
}
printTable(
  'From a press of a key until the page shows it, on a CPU slowed 4 times',
  ['keys', 'presses', 'median ms', 'slowest ms', 'over 100 ms', 'longest task by its own time ms'],
  shows,
)

await browser.close()
await stopService(service)
folder.remove()
