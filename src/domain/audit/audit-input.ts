import { z } from 'zod'
import { exportFormats } from '../../model/audit.ts'
import { pageInput } from '../input/page.ts'
import { label } from '../input/parse.ts'

const count = (problem: string) => z.int(problem).min(1, problem).max(Number.MAX_SAFE_INTEGER)
const rows = count('must be a number of rows, from 1')

const time = z.int('must be an integer').optional()

/** Any text: rows of later versions may have other actions and outcomes. */
const filter = z.strictObject({
  action: label().optional(),
  principalId: label().optional(),
  outcome: label().optional(),
  target: label(2048).optional(),
  requestId: label().optional(),
  after: time,
  before: time,
})

export const listInput = pageInput.extend({ filter: filter.prefault({}) })
export type ListInput = z.output<typeof listInput>

export const checkpointInput = z.strictObject({ size: rows.optional() })
export type CheckpointInput = z.output<typeof checkpointInput>

export const proofInput = z
  .strictObject({
    seq: count('must be the seq of a row, from 1').optional(),
    from: rows.optional(),
    size: rows.optional(),
  })
  .refine(({ seq, from }) => (seq === undefined) !== (from === undefined), 'exactly one of seq and from is required')
export type ProofInput = z.output<typeof proofInput>

export const receiptInput = z.strictObject({ seq: count('must be the seq that the deletion answered with') })

export const exportInput = z.strictObject({ format: z.enum(exportFormats).default('ndjson') })
export type ExportInput = z.output<typeof exportInput>
