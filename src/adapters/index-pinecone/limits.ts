/** Pinecone's limits per request (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
export const maximum = { records: 1000, bytes: 2_000_000, idsInAddress: 100 } as const

/** Concurrent requests to one index. */
export const parallel = 4
