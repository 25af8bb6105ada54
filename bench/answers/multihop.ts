/**
 * Questions that need more than one passage: `npm run bench:answers -- multihop`. HotpotQA, chains of two to four
 * passages about things with made-up names, and `public-facts.json`. One search and steps side by side, on all passages and without those that
 * hold the answer.
 */
import { existsSync, readFileSync } from 'node:fs'
import { mean } from '../../src/domain/evaluation/score-query.ts'
import type { BenchServer } from '../support/server.ts'
import { chains, type Question, type Questions } from './chains.ts'

const root = new URL('../../../shared/data/multihop/', import.meta.url)
const batchSize = 500

interface Wire {
  answer: { abstained: boolean; citations: { unit_id: string; quote: string; start: number; end: number }[] }
  hits: { unit_id: string; external_id: string; text: string }[]
  trace: { answer: { took_ms: number; steps?: { query: string; hits: number; kept: number }[] }; took_ms: number }
}

export const multihopHeaders = [
  'collection',
  'searches',
  'answered',
  'right',
  'all cited',
  'wrong',
  'verbatim',
  'right among the hits',
  'median searches',
  'median ms',
  'answered without the evidence',
]

/** A row for one search and one for steps, of each collection. */
export async function multihopRows(server: BenchServer): Promise<string[][]> {
  const rows: string[][] = []
  const hotpot = readHotpot()
  const sets = [
    ...(hotpot
      ? [
          { ...hotpot, put: ingest },
          { ...hotpot, name: 'hotpotqa-titled', put: ingestTitled },
        ]
      : []),
    ...chains(1).map((set) => ({ ...set, put: ingest })),
    { ...readFacts(hotpot?.documents ?? []), put: ingestTitled },
  ]
  for (const { name, documents, questions, put } of sets) {
    const needed = new Set(questions.flatMap(({ supporting }) => supporting))
    await put(server, `multihop/${name}`, documents)
    await put(
      server,
      `removed/${name}`,
      documents.filter(({ id }) => !needed.has(id)),
    )
    for (const agentic of [false, true]) rows.push(await measure(server, name, questions, agentic))
  }
  return rows
}

function readHotpot(): Questions | null {
  const folder = new URL('hotpotqa/', root)
  if (!existsSync(folder)) {
    console.error('hotpotqa: skipped, it is not beside the project')
    return null
  }
  return {
    name: 'hotpotqa',
    documents: linesOf(new URL('corpus.jsonl', folder)),
    questions: linesOf(new URL('questions.jsonl', folder)),
  }
}

type Documents = Questions['documents']

/** Questions of two to four steps over short texts about public facts, among `others`. No rule was made on them. */
function readFacts(others: Documents): Questions {
  const { documents, questions }: { documents: [string, string][]; questions: [string, string, string[]][] } =
    JSON.parse(readFileSync(new URL('public-facts.json', import.meta.url), 'utf8'))
  return {
    name: 'facts',
    documents: [...documents.map(([title, text]) => ({ id: title, title, text })), ...others],
    questions: questions.map(([question, answer, supporting]) => ({ question, answer, supporting })),
  }
}

/** With the title as the first line of the text. */
async function ingest(server: BenchServer, scope: string, documents: Documents): Promise<void> {
  for (let i = 0; i < documents.length; i += batchSize) {
    const units = documents
      .slice(i, i + batchSize)
      .map(({ id, title, text }) => ({ external_id: id, text: `${title}\n\n${text}`, acl_groups: ['*'] }))
    await server.post('/v1/ingest', { units }, scope)
  }
}

/** With the title in a field of its own, which only GraphQL has. */
async function ingestTitled(server: BenchServer, scope: string, documents: Documents): Promise<void> {
  const query = 'mutation ($units: [UnitInput!]!) { ingest(input: {units: $units}) { indexed } }'
  for (let i = 0; i < documents.length; i += batchSize) {
    const units = documents
      .slice(i, i + batchSize)
      .map(({ id, title, text }) => ({ externalId: id, title, text, aclGroups: ['*'] }))
    const { errors } = (await server.post('/graphql', { query, variables: { units } }, scope)) as { errors?: unknown }
    if (errors) throw new Error(`ingest failed: ${JSON.stringify(errors)}`)
  }
}

async function measure(server: BenchServer, name: string, questions: Question[], agentic: boolean): Promise<string[]> {
  const body = (q: string) => (agentic ? { q } : { q, agentic })
  const asked = await inTurn(questions, async (one) => {
    const started = performance.now()
    const reply = (await server.post('/v1/answer', body(one.question), `multihop/${name}`)) as Wire
    return judged(one, reply, performance.now() - started)
  })
  const removed = await inTurn(questions, async ({ question }) => {
    const { answer } = (await server.post('/v1/answer', body(question), `removed/${name}`)) as Wire
    return !answer.abstained
  })
  const verbatim = asked.flatMap((one) => one.verbatim)
  const share = (of: (one: Judged) => boolean) => percent(asked.map(of))
  return [
    name,
    agentic ? 'steps' : 'one',
    share(({ answered }) => answered),
    share(({ right }) => right),
    share(({ all }) => all),
    share(({ answered, right }) => answered && !right),
    percent(verbatim),
    share(({ found }) => found),
    String(median(asked.map(({ searches }) => searches))),
    median(asked.map(({ tookMs }) => tookMs)).toFixed(1),
    percent(removed),
  ]
}

interface Judged {
  answered: boolean
  /** The answer stands in what is cited; for yes and no: all evidence is cited. */
  right: boolean
  /** Every supporting passage is cited. */
  all: boolean
  /** Every supporting passage is among the hits. */
  found: boolean
  verbatim: boolean[]
  searches: number
  tookMs: number
}

function judged({ answer: gold, supporting }: Question, { answer, hits, trace }: Wire, tookMs: number): Judged {
  const byId = new Map(hits.map((hit) => [hit.unit_id, hit]))
  const cited = new Set(answer.citations.map(({ unit_id }) => byId.get(unit_id)?.external_id))
  const all = supporting.every((id) => cited.has(id))
  const quotes = normal(answer.citations.map(({ quote }) => quote).join(' \n '))
  const yesNo = /^(?:yes|no)$/iu.test(gold)
  return {
    answered: !answer.abstained,
    right: yesNo ? all : quotes.includes(normal(gold)),
    all,
    found: supporting.every((id) => hits.some(({ external_id }) => external_id === id)),
    verbatim: answer.citations.map(
      ({ unit_id, start, end, quote }) => byId.get(unit_id)?.text.slice(start, end) === quote,
    ),
    searches: trace.answer.steps?.length ?? 1,
    tookMs,
  }
}

/** As words only: the marks and the case of an answer are those of its question's writer. */
const normal = (text: string) =>
  ` ${(
    text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')} `

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

const percent = (list: readonly boolean[]) => `${(100 * mean(list.map(Number))).toFixed(0)} %`

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0

const linesOf = <T>(file: URL): T[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
