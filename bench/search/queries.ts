import { type Query, vectorText } from './data.ts'

/** The search body of each mode. */
export const modes = {
  hybrid: ({ text, vector }: Query) => ({ q: text, vector }),
  vectors: ({ vector }: Query) => ({ q: '', vector }),
  text: ({ text }: Query) => ({ q: text }),
} satisfies Record<string, (query: Query) => { q: string; vector?: Float32Array }>

export type Mode = keyof typeof modes

export function searchBody(mode: Mode, query: Query, k: number): string {
  const { q, vector }: { q: string; vector?: Float32Array } = modes[mode](query)
  const fields = JSON.stringify({ q, top_k: k })
  return vector ? `${fields.slice(0, -1)},"vector":{"text":${vectorText(vector)}}}` : fields
}
