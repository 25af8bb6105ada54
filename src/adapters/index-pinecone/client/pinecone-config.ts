export interface PineconeConfig {
  apiKey: string
  /** Address of the control plane; null for Pinecone's own. */
  host: string | null
  /** The prefix of the index names. */
  prefix: string
  cloud: 'aws' | 'gcp' | 'azure'
  region: string
}
