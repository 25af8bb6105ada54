import type { Route } from './route.ts'

/** What the document says about the whole API. */
export const about = (version: string) => ({
  info: {
    title: 'Multimodal retrieval',
    version,
    summary: 'Hybrid search and cited answers over Units of four planes.',
    description:
      'Every operation works in one namespace and scope, and reaches only the Units that its caller may read. Each route runs a GraphQL operation of `/graphql`. Every error is an `Error`.',
    contact: { name: 'The operator of this service' },
    license: { name: 'Unlicensed', identifier: 'LicenseRef-UNLICENSED' },
  },
  servers: [{ url: '/', description: 'The origin that serves this document.' }],
  tags: tags.map(({ name, description }) => ({ name, description })),
})

/** Subjects, and the first segments of the routes that belong to them. */
const tags = [
  { name: 'Service', description: 'The state of the service, and who is calling.', segments: ['health', 'context'] },
  { name: 'Search', description: 'Search, and answers with citations.', segments: ['search', 'answer'] },
  { name: 'Units', description: 'Pieces of content.', segments: ['units', 'ingest', 'units:delete'] },
  {
    name: 'Index',
    description: 'Statistics, and how the indexes follow the catalog.',
    segments: ['catalog', 'compaction'],
  },
  {
    name: 'Access',
    description: 'Namespaces, scopes, grants and principals.',
    segments: ['scopes', 'namespaces', 'grants', 'principals'],
  },
  { name: 'Audit', description: 'The tamper-evident audit log.', segments: ['audit'] },
  { name: 'Billing', description: 'Tiers and payments.', segments: ['billing'] },
  { name: 'Reports', description: 'Published reports on quality.', segments: ['benchmarks', 'eval'] },
  { name: 'Demo', description: 'The demo data.', segments: ['admin'] },
]

/** The subject of a route. What belongs to no other is of the service. */
export function tagOf({ path }: Route): string {
  const segment = path.split('/')[2] ?? ''
  return tags.find(({ segments }) => segments.includes(segment))?.name ?? 'Service'
}

/** The first sentence of a description that says what the route does, without its full stop. */
export function headline(description: string): string {
  const [sentence = ''] = description.replace(/^Public\. /, '').split(/\.(?: |$)/)
  return sentence
}
