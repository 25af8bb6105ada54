import { docInput, docsInput, facetsInput } from '../domain/docs/doc-input.ts'
import { type Operation, reads } from './operation.ts'

export const docs = {
  docs: {
    kind: 'query',
    description: 'Documents of which the caller may read a Unit, by first write, newest first. Needs `read`.',
    args: docsInput,
    needs: reads,
    reach: 'clamped',
  },
  doc: {
    kind: 'query',
    description: 'One document. Without a readable Unit it is not found. Needs `read`.',
    args: docInput,
    needs: reads,
    reach: 'clamped',
  },
  facets: {
    kind: 'query',
    description:
      'Counts readable Units in the effective scopes that meet the filters, by the values of fields. Needs `read`.',
    input: facetsInput,
    needs: reads,
    reach: 'clamped',
  },
} satisfies Record<string, Operation>
