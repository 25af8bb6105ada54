import { createHash } from 'node:crypto'
import { TransferRefusedError } from '../../../src/model/transfer.ts'
import { transferOf } from '../../../src/wiring/transfer.ts'
import type { TestApp } from '../boot.ts'

export const transferWithin = ({ runtime: { config, bindings } }: TestApp) => transferOf(config, bindings)

/** The lines of an export, including the end line. */
export async function exportedLines(app: TestApp, namespace: string | null): Promise<string[]> {
  const pieces: string[] = []
  await transferWithin(app).export(namespace, {
    write: async (text) => {
      pieces.push(text)
    },
  })
  return pieces.join('').trimEnd().split('\n')
}

/** The same records with a matching end line, as a forger who knows the format would write it. */
export function sealed(lines: readonly string[]): string[] {
  const body = lines.filter((line) => !line.startsWith('{"end":'))
  const sha256 = createHash('sha256')
    .update(body.map((line) => `${line}\n`).join(''))
    .digest('hex')
  return [...body, JSON.stringify({ end: { records: body.length - 1, counts: {}, sha256 } })]
}

const inBatches = (lines: readonly string[]) =>
  async function* () {
    for (let i = 0; i < lines.length; i += 100) yield lines.slice(i, i + 100)
  }

export const importLines = (app: TestApp, lines: readonly string[]) =>
  transferWithin(app).import({ lines: inBatches(lines) })

/** The error for a rejected file; throws if the file was accepted. */
export async function refusalOf(app: TestApp, lines: readonly string[]): Promise<string> {
  const outcome = await importLines(app, lines).catch((error: unknown) => error)
  if (outcome instanceof TransferRefusedError) return outcome.message
  throw outcome instanceof Error ? outcome : new Error('the file was let in')
}
