import { z } from 'zod'
import { TransferRefusedError } from '../../../model/transfer.ts'

const failure = z.object({
  meta: z.object({ driverAdapterError: z.object({ cause: z.object({ originalCode: z.string() }) }) }),
})

/** What PostgreSQL says against a record, without its values: they may be anybody's. Null for what is no fault of a record. */
export function refusalOf(error: unknown, kind: string): TransferRefusedError | null {
  const code = failure.safeParse(error).data?.meta.driverAdapterError.cause.originalCode ?? ''
  // unique_violation, foreign_key_violation; the others of these classes: what does not fit a column.
  if (code === '23505') return new TransferRefusedError(`a record ${kind} exists here already`)
  if (code === '23503') return new TransferRefusedError(`a record ${kind} refers to what is not in the file`)
  return /^2[23]/.test(code) ? new TransferRefusedError(`a record ${kind} is not one that the catalog takes`) : null
}
