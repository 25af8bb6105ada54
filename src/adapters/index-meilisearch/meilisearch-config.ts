/** Where Meilisearch is, and under which name its one index is kept there. */
export interface MeilisearchConfig {
  url: string
  /** May manage indexes, documents and keys. */
  key: string
  index: string
}
