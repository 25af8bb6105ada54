/** Where Meilisearch is, and under which name its one index is kept there. */
export interface MeilisearchConfig {
  url: string
  /** May manage indexes, documents and keys. */
  key: string
  index: string
  /** In ms, how long nobody asks once it has failed; 5000 unless given. */
  pauseMs?: number
}
