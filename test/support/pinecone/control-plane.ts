import { randomBytes } from 'node:crypto'
import { Namespaces } from './namespaces.ts'
import { RefusalError } from './refusal.ts'

export interface StoredIndex {
  name: string
  dimension: number
  metric: string
  tags: Record<string, string>
  deployment: object
  /** Part of the index's host; a recreated index gets another host. */
  key: string
  readyAt: number
  namespaces: Namespaces
}

interface Options {
  url(): string
  readyMs(): number
  lagMs(): number
}

/** The field that holds the vectors of an index used through the vectors API. */
const vectors = '_values'

/** Creating, listing, describing, tagging and deleting indexes. */
export class ControlPlane {
  readonly indexes = new Map<string, StoredIndex>()
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  answer(method: string, path: string, body: any): { status: number; body: unknown } {
    const [, , name] = path.split('/').map(decodeURIComponent)
    if (name === undefined) {
      if (method === 'GET') return { status: 200, body: { indexes: [...this.indexes.values()].map(this.#describe) } }
      if (method === 'POST') return { status: 201, body: this.#describe(this.#create(body)) }
    } else {
      const index = this.indexes.get(name)
      if (!index) throw new RefusalError(404, `Resource ${name} not found`)
      if (method === 'GET') return { status: 200, body: this.#describe(index) }
      if (method === 'PATCH') return { status: 202, body: this.#describe(this.#tag(index, body.tags)) }
      if (method === 'DELETE') {
        this.indexes.delete(name)
        return { status: 202, body: undefined }
      }
    }
    throw new RefusalError(404, 'no such operation')
  }

  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  #create({ name, schema, tags, deployment }: any): StoredIndex {
    const field = schema?.fields?.[vectors]
    if (!field || Object.keys(schema.fields).length !== 1)
      throw new RefusalError(400, 'this server holds dense vectors only')
    if (typeof name !== 'string' || !/^[a-z0-9]([a-z0-9-]{0,43}[a-z0-9])?$/.test(name))
      throw new RefusalError(400, 'bad name')
    if (this.indexes.has(name)) throw new RefusalError(409, 'Resource already exists')
    const index: StoredIndex = {
      name,
      dimension: field.dimension,
      metric: field.metric,
      tags: {},
      deployment,
      key: randomBytes(6).toString('hex'),
      readyAt: performance.now() + this.#options.readyMs(),
      namespaces: new Namespaces(this.#options.lagMs),
    }
    this.indexes.set(name, this.#tag(index, tags))
    return index
  }

  #tag(index: StoredIndex, tags: Record<string, string> | null | undefined): StoredIndex {
    for (const [key, value] of Object.entries(tags ?? {})) {
      if (!/^[\w-]{1,80}$/.test(key) || !/^[ -~]{1,120}$/.test(value)) throw new RefusalError(400, `bad tag ${key}`)
    }
    if (Object.keys(tags ?? {}).length > 20) throw new RefusalError(400, 'at most 20 tags')
    // The document does not say whether tags are merged. A client that works with replaced tags works with merged tags
    // too.
    index.tags = { ...tags }
    return index
  }

  #describe = (index: StoredIndex) => {
    const ready = performance.now() >= index.readyAt
    return {
      name: index.name,
      host: `${this.#options.url()}/hosts/${index.key}`,
      status: { ready, state: ready ? 'Ready' : 'Initializing' },
      deployment: index.deployment,
      schema: { fields: { [vectors]: { type: 'dense_vector', dimension: index.dimension, metric: index.metric } } },
      tags: Object.keys(index.tags).length > 0 ? index.tags : null,
      deletion_protection: 'disabled',
    }
  }
}
