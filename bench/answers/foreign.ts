/**
 * Questions without an answer, in the same style as those with one. A collection's articles are split into two halves.
 * Each half gets its own questions and those of the other half. `npm run bench:answers -- foreign`.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { BenchServer } from '../support/server.ts'
import { ask } from './ask.ts'

const root = new URL('../../../shared/data/', import.meta.url)
const questionsEach = 200
const batchSize = 500
/** Document ids start with the number of the article. */
const names = [
  'spoken-squad',
  ...['en', 'de', 'es', 'ru', 'tr', 'ar', 'hi', 'zh'].map((language) => `xquad-${language}`),
]

interface Half {
  documents: { id: string; title: string; text: string }[]
  questions: string[]
}

/** Rows: the collection, the half, and the shares of its own and of the other half's questions that get an answer. */
export async function foreignRows(server: BenchServer): Promise<string[][]> {
  const rows: string[][] = []
  const multihop = new URL('multihop/hotpotqa/questions.jsonl', root)
  const others = existsSync(multihop) ? linesOf(multihop).map(({ question }) => question ?? '') : []
  for (const name of names) {
    const folder = new URL(`ir/${name}/`, root)
    if (!existsSync(folder)) {
      console.error(`${name}: skipped, it is not beside the project`)
      continue
    }
    const [first, second] = [halfOf(folder, 0), halfOf(folder, 1)]
    for (const [half, own, other] of [['A', first, second] as const, ['B', second, first] as const]) {
      const scope = `foreign/${name}-${half}`
      for (let i = 0; i < own.documents.length; i += batchSize) {
        const units = own.documents.slice(i, i + batchSize).map(({ id, title, text }) => ({
          external_id: id,
          text: title === '' ? text : `${title}\n\n${text}`,
          acl_groups: ['*'],
        }))
        await server.post('/v1/ingest', { units }, scope)
      }
      rows.push([
        name,
        half,
        await answered(server, scope, own.questions),
        await answered(server, scope, other.questions),
        name === 'spoken-squad' ? await answered(server, scope, others) : '-',
      ])
    }
  }
  return rows
}

export const foreignHeaders = ['collection', 'half', 'own answered', "other half's answered", 'hotpotqa answered']

async function answered(server: BenchServer, scope: string, questions: readonly string[]): Promise<string> {
  let count = 0
  for (const question of questions) if (!(await ask(server, scope, question)).abstained) count += 1
  return questions.length === 0 ? '-' : `${((100 * count) / questions.length).toFixed(1)} % of ${questions.length}`
}

function halfOf(folder: URL, half: number): Half {
  const isOf = (id: string) => Number(id.split('-')[0]) % 2 === half
  const relevant = new Map(
    readFileSync(new URL('qrels.tsv', folder), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
      .map(([query = '', document = '']) => [query, document] as const),
  )
  const questions = linesOf(new URL('queries.jsonl', folder))
    .filter(({ id = '' }) => isOf(relevant.get(id) ?? ''))
    .map(({ text = '' }) => text)
  const step = Math.max(1, questions.length / questionsEach)
  return {
    documents: linesOf(new URL('corpus.jsonl', folder))
      .map(({ id = '', title = '', text = '' }) => ({ id, title, text }))
      .filter(({ id }) => isOf(id)),
    questions: questions.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step)),
  }
}

const linesOf = (file: URL): Record<string, string | undefined>[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
