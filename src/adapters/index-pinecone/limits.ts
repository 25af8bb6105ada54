/** What Pinecone takes in one request (https://docs.pinecone.io/reference/api/database-limits/operation-limits). */
export const maximum = { records: 1000, bytes: 2_000_000, idsInAddress: 100 } as const

/** How many requests to one index are under way at once. */
export const parallel = 4
