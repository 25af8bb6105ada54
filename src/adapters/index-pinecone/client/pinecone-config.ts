export interface PineconeConfig {
  apiKey: string
  /** Address of the control plane; null for Pinecone's own. */
  host: string | null
  /** Begins the names of the indexes. */
  prefix: string
  cloud: 'aws' | 'gcp' | 'azure'
  region: string
}
