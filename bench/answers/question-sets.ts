import { existsSync, readFileSync } from 'node:fs'
import { type Collection, collectionNames, everyNth, joinTitle, readCollection } from '../quality/collections.ts'

const root = new URL('../../../shared/data/', import.meta.url)
const languages = ['en', 'de', 'es', 'ru', 'tr', 'ar', 'hi', 'zh']

/** The collections of texts with questions or queries: the six of `collections.ts`, XQuAD by language, and HotpotQA. */
export function questionSets(queriesEach: number): Collection[] {
  const six = collectionNames.flatMap((name) => readCollection(name, false) ?? [])
  const squad = languages.flatMap((language) => readSquad(`xquad-${language}`) ?? [])
  const hotpot = readHotpot()
  return [...six, ...squad, ...(hotpot ? [hotpot] : [])].map((set) => ({
    ...set,
    queries: everyNth(set.queries, queriesEach),
  }))
}

/** Sentences are the documents; one of them is relevant to each question. */
function readSquad(name: string): Collection | null {
  const folder = new URL(`ir/${name}/`, root)
  if (!existsSync(folder)) return null
  const relevant = new Map<string, Set<string>>()
  const rows = readFileSync(new URL('qrels.tsv', folder), 'utf8').trim().split('\n').slice(1)
  for (const [query = '', document = ''] of rows.map((row) => row.split('\t'))) {
    relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  return {
    ...texts(name, linesOf(new URL('corpus.jsonl', folder))),
    queries: linesOf<{ id: string; text: string }>(new URL('queries.jsonl', folder)).map(({ id, text }) => ({
      text,
      relevant: relevant.get(id) ?? new Set<string>(),
    })),
  }
}

/** Two documents are relevant to each question. */
function readHotpot(): Collection | null {
  const folder = new URL('multihop/hotpotqa/', root)
  if (!existsSync(folder)) return null
  const questions = linesOf<{ question: string; supporting: string[] }>(new URL('questions.jsonl', folder))
  return {
    ...texts('hotpotqa', linesOf(new URL('corpus.jsonl', folder))),
    queries: questions.map(({ question, supporting }) => ({ text: question, relevant: new Set(supporting) })),
  }
}

const texts = (name: string, documents: { id: string; title: string; text: string }[]) =>
  ({
    name,
    plane: 'text',
    modality: 'text',
    documents: documents.map(({ id, title, text }) => ({ id, text: joinTitle(title, text) })),
  }) as const

const linesOf = <T>(file: URL): T[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
