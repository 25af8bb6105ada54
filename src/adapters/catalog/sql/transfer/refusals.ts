import { z } from 'zod'
import { TransferRefusedError } from '../../../../model/transfer.ts'

const failure = z.object({
  meta: z.object({ driverAdapterError: z.object({ cause: z.object({ originalCode: z.string() }) }) }),
})

/** PostgreSQL's objection to a record, without its values, which may be private. Null for other errors. */
export function refusalOf(error: unknown, kind: string): TransferRefusedError | null {
  const code = failure.safeParse(error).data?.meta.driverAdapterError.cause.originalCode ?? ''
  // unique_violation, foreign_key_violation; other codes of these classes: a value that does not fit its column.
  if (code === '23505') return new TransferRefusedError(`a record ${kind} already exists here`)
  if (code === '23503') return refersToNothing(kind)
  return /^2[23]/.test(code) ? new TransferRefusedError(`a record ${kind} is not one that the catalog takes`) : null
}

export const refersToNothing = (kind: string) =>
  new TransferRefusedError(`a record ${kind} refers to what is not in the file`)
