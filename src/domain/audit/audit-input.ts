import { z } from 'zod'
import { exportFormats } from '../../model/audit.ts'
import { pageInput } from '../input/page.ts'
import { label } from '../input/parse.ts'

const count = (problem: string) => z.int(problem).min(1, problem).max(Number.MAX_SAFE_INTEGER)
const rows = count('must be a number of rows, from 1')

const time = z.int('must be an integer').optional().describe('Epoch milliseconds, inclusive.')

/** Any text: rows of later versions may have other actions and outcomes. */
const filter = z
  .strictObject({
    action: label().optional().describe('What was done, such as `units.ingest`.'),
    principalId: label().optional().describe('The principal that acted.'),
    outcome: label().optional().describe('`ok`, or the error code of what was refused.'),
    target: label(2048).optional().describe('What it was done to: an id, a name or a scope path.'),
    requestId: label().optional().describe('The `X-Request-Id` of the request.'),
    after: time,
    before: time,
    ownReads: z
      .boolean()
      .optional()
      .describe(
        'False leaves out what the caller itself listed, counted and opened, as the pages of a console do. Searches and answers stay.',
      ),
  })
  .meta({
    title: 'AuditFilterInput',
    about: 'Which rows of an audit log to list: those that match every field that is sent.',
  })

export const listInput = pageInput('Offset from the newest row that the caller may see.').extend({
  filter: filter
    .prefault({})
    .describe('Which rows; pages, `count` and cursors are then of these alone. All when it is left out.'),
})
export type ListInput = z.output<typeof listInput>

export const checkpointInput = z.strictObject({
  size: rows.optional().describe('The size of an earlier checkpoint. Default: the current one.'),
})
export type CheckpointInput = z.output<typeof checkpointInput>

export const proofInput = z
  .strictObject({
    seq: count('must be the seq of a row, from 1').optional().describe('The row to prove.'),
    from: rows.optional().describe('Number of earlier rows.'),
    size: rows.optional().describe('The size of the checkpoint to prove against. Default: the current one.'),
  })
  .refine(({ seq, from }) => (seq === undefined) !== (from === undefined), 'exactly one of seq and from is required')
export type ProofInput = z.output<typeof proofInput>

export const receiptInput = z.strictObject({
  seq: count('must be the seq that the deletion answered with').describe('The `seq` that the deletion answered with.'),
})

export const exportInput = z.strictObject({ format: z.enum(exportFormats).default('ndjson').describe('The format.') })
export type ExportInput = z.output<typeof exportInput>
