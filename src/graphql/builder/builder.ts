import SchemaBuilder from '@pothos/core'
import type { SentVector } from '../../domain/input/vector.ts'
import type { Metadata } from '../../model/unit.ts'
import type { GraphqlContext } from './context.ts'

/** The schema's type parameters. Fields are non-null by default. */
interface OwnTypes {
  Context: GraphqlContext
  DefaultFieldNullability: false
  Scalars: {
    SafeInt: { Input: number; Output: number }
    Vector: { Input: SentVector; Output: Float32Array }
    Bytes: { Input: Uint8Array; Output: Uint8Array }
    JSON: { Input: unknown; Output: unknown }
    Metadata: { Input: unknown; Output: Metadata }
    Condition: { Input: unknown; Output: unknown }
    Time: { Input: unknown; Output: number }
  }
}

export const builder = new SchemaBuilder<OwnTypes>({ defaultFieldNullability: false })

builder.queryType({ description: 'Reads.' })
builder.mutationType({ description: 'Writes.' })
builder.subscriptionType({
  description: 'Changes, as server-sent events: `POST /graphql` with `Accept: text/event-stream`.',
})
