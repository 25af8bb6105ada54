/** The address of Meilisearch, and the name of its one index there. */
export interface MeilisearchConfig {
  url: string
  /** A key that may manage indexes, documents and keys. */
  key: string
  index: string
  /** In ms, how long no calls are made after a failure; default 5000. */
  pauseMs?: number
}
