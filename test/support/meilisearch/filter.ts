import { type Facet, facetString } from './facets.ts'

/**
 * A parsed filter expression
 * (https://www.meilisearch.com/docs/learn/filtering_and_sorting/filter_expression_reference).
 */
export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  | { kind: 'in'; attribute: string; values: string[] }
  | { kind: 'compare'; attribute: string; operator: '>' | '>=' | '<' | '<='; value: number }
  | { kind: 'exists'; attribute: string }

export class FilterError extends Error {}

const lexeme =
  /\s*(?:(?<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<mark>>=|<=|!=|[=<>()[\],])|(?<word>[A-Za-z0-9_.+-]+))/y

interface Lexeme {
  text: string
  kind: 'quoted' | 'mark' | 'word'
}

function lexemes(expression: string): Lexeme[] {
  const found: Lexeme[] = []
  const source = expression.trimEnd()
  lexeme.lastIndex = 0
  while (lexeme.lastIndex < source.length) {
    const match = lexeme.exec(source)
    if (!match?.groups) throw new FilterError(`cannot read ${source.slice(0, 80)}`)
    const { quoted, mark, word } = match.groups
    if (quoted !== undefined) found.push({ kind: 'quoted', text: quoted.slice(1, -1).replace(/\\(.)/g, '$1') })
    else found.push({ kind: mark === undefined ? 'word' : 'mark', text: mark ?? word ?? '' })
  }
  return found
}

/** AND has a higher precedence than OR. */
export function parseFilter(expression: string): Filter {
  const all = lexemes(expression)
  let at = 0
  const isWord = (word: string) => all[at]?.kind === 'word' && all[at]?.text.toUpperCase() === word
  const isMark = (mark: string) => all[at]?.kind === 'mark' && all[at]?.text === mark
  const take = (): Lexeme => {
    const next = all[at++]
    if (next === undefined) throw new FilterError('ends too early')
    return next
  }
  const expect = (mark: string) => {
    if (!isMark(mark)) throw new FilterError(`wants ${mark}`)
    at++
  }
  const value = (): string => {
    const next = take()
    if (next.kind === 'mark') throw new FilterError(`wants a value, not ${next.text}`)
    return next.text
  }
  const number = (): number => {
    const text = value()
    const parsed = Number(text)
    if (text === '' || !Number.isFinite(parsed)) throw new FilterError(`wants a number, not ${text}`)
    return parsed
  }

  const some = (kind: 'and' | 'or', word: string, part: () => Filter): Filter => {
    const parts = [part()]
    while (isWord(word)) {
      at++
      parts.push(part())
    }
    const [only] = parts
    return parts.length === 1 && only ? only : { kind, parts }
  }
  const either = (): Filter => some('or', 'OR', both)
  const both = (): Filter => some('and', 'AND', negated)
  const negated = (): Filter => {
    if (!isWord('NOT')) return primary()
    at++
    return { kind: 'not', part: negated() }
  }
  const primary = (): Filter => {
    if (!isMark('(')) return condition()
    at++
    const inner = either()
    expect(')')
    return inner
  }
  const list = (): string[] => {
    expect('[')
    const values: string[] = []
    while (!isMark(']')) {
      values.push(value())
      if (!isMark(']')) expect(',')
    }
    at++
    return values
  }
  const condition = (): Filter => {
    const attribute = value()
    const not = isWord('NOT')
    if (not) at++
    const wrap = (part: Filter): Filter => (not ? { kind: 'not', part } : part)
    const operator = take().text.toUpperCase()
    if (operator === 'IN') return wrap({ kind: 'in', attribute, values: list() })
    if (operator === 'EXISTS') return wrap({ kind: 'exists', attribute })
    if (not) throw new FilterError('wants IN or EXISTS')
    if (operator === '=') return { kind: 'in', attribute, values: [value()] }
    if (operator === '!=') return { kind: 'not', part: { kind: 'in', attribute, values: [value()] } }
    if (operator === '>' || operator === '>=' || operator === '<' || operator === '<=') {
      return { kind: 'compare', attribute, operator, value: number() }
    }
    throw new FilterError(`does not know ${operator}`)
  }

  const parsed = either()
  if (at < all.length) throw new FilterError(`does not end with ${all[at - 1]?.text}`)
  return parsed
}

/** What filters read from an index: ids of documents by the values of its filterable attributes. */
export interface Filterable {
  all(): ReadonlySet<string>
  /** Undefined if the attribute is not filterable. */
  facet(attribute: string): Facet | undefined
}

/** The ids of `within` that match a filter. */
export function evaluate(filter: Filter, index: Filterable, within: ReadonlySet<string>): Set<string> {
  switch (filter.kind) {
    case 'and':
      return filter.parts.reduce<Set<string>>((left, part) => evaluate(part, index, left), new Set(within))
    case 'or':
      return new Set(filter.parts.flatMap((part) => [...evaluate(part, index, within)]))
    case 'not': {
      const out = evaluate(filter.part, index, within)
      return new Set([...within].filter((id) => !out.has(id)))
    }
    case 'in': {
      const facet = facetOf(index, filter.attribute)
      const holding = filter.values.map((value) => [
        facet.strings.get(facetString(value)),
        // A value in the form of a number also matches as a number.
        value.trim() === '' ? undefined : facet.numbers.get(Number(value)),
      ])
      return new Set(holding.flat().flatMap((ids) => (ids === undefined ? [] : intersection(ids, within))))
    }
    case 'compare': {
      const { operator, value } = filter
      const holds = { '>': gt, '>=': ge, '<': lt, '<=': le }[operator]
      const { numbers } = facetOf(index, filter.attribute)
      return new Set([...numbers].flatMap(([key, ids]) => (holds(key, value) ? intersection(ids, within) : [])))
    }
    case 'exists':
      return new Set(intersection(facetOf(index, filter.attribute).present, within))
  }
}

const gt = (a: number, b: number) => a > b
const ge = (a: number, b: number) => a >= b
const lt = (a: number, b: number) => a < b
const le = (a: number, b: number) => a <= b

function facetOf(index: Filterable, attribute: string): Facet {
  const facet = index.facet(attribute)
  if (!facet) throw new FilterError(`Attribute \`${attribute}\` is not filterable`)
  return facet
}

function intersection(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  const [few, many] = a.size < b.size ? [a, b] : [b, a]
  return [...few].filter((id) => many.has(id))
}
