/** Lines of one kind. `line` is the number of the first of them, 1-based. */
export interface Template {
  tokens: string[]
  count: number
  line: number
  example: string
  firstTime: string | null
  lastTime: string | null
}

export const wildcard = '<*>'

/** He et al., Drain, ICWS 2017: their depth of 4 and similarity of .4; a node has at most 100 children. */
const keyTokens = 2
const minSimilarity = 0.4
const maxChildren = 100

interface Node {
  children: Map<string, Node>
  templates: Template[]
}

const newNode = (): Node => ({ children: new Map(), templates: [] })

/** Finds templates in lines, as they come: by their number of tokens, their first tokens, then the most similar one. */
export class Drain {
  readonly templates: Template[] = []
  readonly #root = newNode()

  /** The template of a line, with the line counted. `create` makes a new one. */
  add(tokens: readonly string[], create: () => Omit<Template, 'tokens' | 'count'>): Template {
    const leaf = this.#leafOf(tokens)
    const found = similarTo(leaf.templates, tokens)
    if (found) {
      found.count++
      tokens.forEach((token, i) => {
        if (found.tokens[i] !== token) found.tokens[i] = wildcard
      })
      return found
    }
    const made = { tokens: [...tokens], count: 1, ...create() }
    leaf.templates.push(made)
    this.templates.push(made)
    return made
  }

  #leafOf(tokens: readonly string[]): Node {
    let node = childOf(this.#root, String(tokens.length), Number.POSITIVE_INFINITY)
    for (const token of tokens.slice(0, keyTokens)) node = childOf(node, token, maxChildren)
    return node
  }
}

function childOf(node: Node, key: string, max: number): Node {
  const found = node.children.get(key)
  if (found) return found
  const own = node.children.size < max - 1 ? key : wildcard
  const child = node.children.get(own) ?? newNode()
  node.children.set(own, child)
  return child
}

function similarTo(templates: readonly Template[], tokens: readonly string[]): Template | null {
  let best: Template | null = null
  let highest = minSimilarity * tokens.length
  for (const template of templates) {
    let same = 0
    for (let i = 0; i < tokens.length; i++) if (template.tokens[i] === tokens[i]) same++
    if (same >= highest && (same > highest || best === null)) {
      best = template
      highest = same
    }
  }
  return best
}
