import type { IndexFeed } from '../../ports/index-filter.ts'
import type { Bindings } from '../bindings/bindings.ts'

/** The feeds of both indexes; only one if they share it. */
export const feedsOf = ({ vectors, texts }: Pick<Bindings, 'vectors' | 'texts'>): IndexFeed[] => [
  ...new Set([vectors.feed, texts.feed]),
]
