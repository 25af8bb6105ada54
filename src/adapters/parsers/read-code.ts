import type { Block, OpenFile, Structure } from '../../ports/format.ts'
import { type Line, lineCounter, linesOf } from './lines.ts'

const types: Record<string, string> = {
  'text/javascript': 'js mjs cjs jsx',
  'text/typescript': 'ts mts cts tsx',
  'text/x-python': 'py pyi pyw',
  'text/x-java': 'java',
  'text/x-kotlin': 'kt kts',
  'text/x-scala': 'scala sc',
  'text/x-c': 'c h',
  'text/x-c++': 'cc cpp cxx hpp hh hxx',
  'text/x-csharp': 'cs',
  'text/x-go': 'go',
  'text/x-rust': 'rs',
  'text/x-ruby': 'rb',
  'text/x-php': 'php',
  'text/x-perl': 'pl pm',
  'text/x-lua': 'lua',
  'text/x-r': 'r',
  'text/x-swift': 'swift',
  'text/x-objective-c': 'm mm',
  'text/x-dart': 'dart',
  'text/x-elixir': 'ex exs',
  'text/x-erlang': 'erl',
  'text/x-haskell': 'hs',
  'text/x-ocaml': 'ml mli',
  'text/x-clojure': 'clj cljs',
  'text/x-julia': 'jl',
  'text/x-zig': 'zig',
  'text/x-vue': 'vue',
  'text/x-svelte': 'svelte',
  'text/x-razor': 'cshtml razor',
  'text/css': 'css scss sass less',
  'text/x-shellscript': 'sh bash zsh fish ps1 bat',
  'application/sql': 'sql',
  'text/x-protobuf': 'proto',
  'application/graphql': 'graphql gql',
  'text/x-terraform': 'tf hcl',
  'text/x-cmake': 'cmake',
}

/** Media types by extension. */
export const languages: ReadonlyMap<string, string> = new Map(
  Object.entries(types).flatMap(([type, extensions]) => extensions.split(' ').map((extension) => [extension, type])),
)

/** A program in chunks of its declarations. */
export async function readCode(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const lineOf = lineCounter(text)
  return {
    mime: languages.get(file.extension) ?? 'text/x-script',
    ...{ text, textIsFile: true, charset, blocks: topLevelBlocks(text), units: [], attachments: [] },
    locate: ({ start, end }) => ({ locator: { kind: 'line_range', start: lineOf(start), end: lineOf(end - 1) } }),
  }
}

/** A line that ends or continues what is above it, at whatever indentation. */
const continues =
  /^(?:[)}\]>]|end\b|else\b|elif\b|elsif\b|except\b|finally\b|catch\b|then\b|do\b|done\b|fi\b|esac\b|begin\b|\{)/i

/** A line that belongs to what is below it. */
const leads = /^(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|endif|pragma)\b)|--|;|@|\[|"""|<!--|%|template\b)/

/**
 * The declarations of a program in any language: by indentation, the way people write it. A line without indentation
 * starts one; comments, annotations and decorators go with what is below them. What a text in strings or comments looks
 * like can only move a border, between lines.
 */
export function topLevelBlocks(text: string): Block[] {
  return declarations(text, [...linesOf(text)], 0, [])
}

/** A longer declaration is divided by its members, under its own name. */
const maxDeclaration = 2_000
const maxDepth = 4

function declarations(text: string, lines: readonly Line[], depth: number, headings: readonly string[]): Block[] {
  const read = ({ start, end }: Line) => text.slice(start, end)
  const indentation = indentationOf(lines.map(read))
  const starts: number[] = []
  let lead: number | null = null
  lines.forEach((line, i) => {
    const content = read(line).trim()
    if (content === '') {
      // A comment that an empty line follows stands for itself, such as a licence.
      if (lead !== null && !/^["@[]/.test(read(lines[lead] ?? line).trim())) {
        starts.push(lead)
        lead = null
      }
      return
    }
    if (indentOf(read(line)) > indentation) return
    if (leads.test(content)) lead ??= i
    else if (!continues.test(content)) {
      starts.push(lead ?? i)
      lead = null
    }
  })
  const borders = [...new Set([0, ...starts])]
  return borders.flatMap((from, n) => {
    const part = lines.slice(from, borders[n + 1] ?? lines.length)
    const [first, last] = [part[0], part.at(-1)]
    if (!first || !last) return []
    const block: Block = { kind: 'code', start: first.start, end: last.end, headings }
    const signature = part.findIndex((line) => !leads.test(read(line).trim()) && read(line).trim() !== '')
    const body = part.slice(signature + 1)
    if (block.end - block.start <= maxDeclaration || depth === maxDepth || signature === -1 || body.length < 2)
      return [block]
    const name = read(part[signature] ?? first)
      .trim()
      .slice(0, 200)
      .replace(/\s*[{:(]*$/, '')
    const head: Block = { ...block, end: part[signature]?.end ?? block.end }
    return [head, ...declarations(text, body, depth + 1, [...headings, name])]
  })
}

const indentOf = (line: string) => {
  let width = 0
  for (const character of line) {
    if (character === ' ') width++
    else if (character === '\t') width += 4
    else break
  }
  return width
}

/** The least indentation of the lines that start something. */
function indentationOf(lines: readonly string[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const content = line.trim()
    if (content !== '' && !continues.test(content)) least = Math.min(least, indentOf(line))
  }
  return least
}
