import type { Finding, LogSummary } from './check-log.ts'

/** The result, for the terminal: `name  value` lines, the verdict first. */
export function report(finding: Finding): string {
  if (finding.kind === 'unchecked') return `not checked: ${finding.reason}`
  if (finding.kind === 'intact') return format([['intact', coverageOf(finding)], ...summaryOf(finding)])
  const { breakAt, reason } = finding
  return format([['broken', reason], ...(breakAt === null ? [] : [['row', `${breakAt}`] as const])])
}

type Line = readonly [name: string, value: string]

function coverageOf({ rows, checkpoint }: LogSummary): string {
  if (checkpoint === null) return 'the rows continue each other; without a checkpoint nobody vouches for them'
  const { size } = checkpoint
  return rows === size
    ? 'all rows are those that the checkpoint covers'
    : `rows 1 to ${size} are those that the checkpoint covers; rows ${size + 1} to ${rows} continue them`
}

const summaryOf = ({ namespace, rows, headHash, root, checkpoint }: LogSummary): Line[] => [
  ...(namespace === null ? [] : [['namespace', JSON.stringify(namespace)] as const]),
  ['rows', `${rows}`],
  ['head', headHash],
  ['root', Buffer.from(root).toString('base64')],
  ...(checkpoint === null ? [] : [['checkpoint', `${checkpoint.size} rows, signed for ${checkpoint.origin}`] as const]),
]

const format = (lines: readonly Line[]) => lines.map(([name, value]) => `${name.padEnd(11)} ${value}`).join('\n')
