import type { Engines } from '../engines.ts'

/** How an engine fails. */
export type EngineFault = 'down' | 'hanging' | 'garbage'

interface BreakableEngine {
  name: 'pinecone' | 'meilisearch' | 's3' | 'redis'
  /** The search legs that fail with this engine, for a search with words and a text vector. */
  legs: string[]
  /** The entries in the health report. For Meilisearch only the overall status changes. */
  shownAs: { vector_index?: string[]; object_store?: string; key_value?: string }
  /** Fails from now on, until `mend`. */
  break(engines: Engines, fault: EngineFault): Promise<void>
  mend(engines: Engines): Promise<void>
}

const down = (names: readonly string[]) => names.map((name) => `${name} (down)`)

export const pineconeIndexes = ['text', 'visual', 'audio', 'doc-visual'].map((plane) => `pinecone:svc-${plane}-512`)

export const breakableEngines: readonly BreakableEngine[] = [
  {
    name: 'pinecone',
    legs: ['vector:text'],
    shownAs: { vector_index: down(pineconeIndexes) },
    break: async ({ pinecone }, fault) => {
      const garbage = { kind: 'body', body: '<html><body>Welcome to the proxy</body></html>' } as const
      pinecone.always = { down: { kind: 'reset' } as const, hanging: { kind: 'hang' } as const, garbage }[fault]
    },
    mend: async ({ pinecone }) => {
      pinecone.always = null
    },
  },
  {
    name: 'meilisearch',
    legs: ['text'],
    shownAs: {},
    break: async ({ meilisearch }, fault) => {
      meilisearch.fault = ({ down: 'reset', hanging: 'hang', garbage: 'garbage' } as const)[fault]
    },
    mend: async ({ meilisearch }) => {
      meilisearch.fault = null
    },
  },
  {
    name: 's3',
    legs: [],
    shownAs: { object_store: 's3 (down)' },
    break: async ({ s3 }, fault) => {
      s3.always = ({ down: 'reset', hanging: 'hang', garbage: 'web-page' } as const)[fault]
    },
    mend: async ({ s3 }) => {
      s3.always = null
    },
  },
  {
    name: 'redis',
    legs: [],
    shownAs: { key_value: 'redis (down)' },
    break: async ({ redis }, fault) => {
      if (fault === 'down') await redis.stop()
      else redis.fault = ({ hanging: 'hang', garbage: 'garbage' } as const)[fault]
    },
    mend: async ({ redis }) => {
      redis.fault = null
      if (!redis.isListening) await redis.start()
    },
  },
]
