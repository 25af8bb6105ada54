import { randomUUID } from 'node:crypto'

type Value = string | Uint8Array

/** By the text that stands for each of them in a running statement. */
const values = new Map<string, Value>()

/**
 * Runs a statement whose large parameters Prisma does not see: it would write them as JSON twice, and bytes as base64. What
 * the work gets stands for the values, in their order, until it ends.
 */
export async function withLargeValues<T>(
  large: readonly Value[],
  work: (...names: string[]) => Promise<T>,
): Promise<T> {
  const names = large.map(() => randomUUID())
  for (const [i, value] of large.entries()) values.set(names[i] ?? '', value)
  try {
    return await work(...names)
  } finally {
    for (const name of names) values.delete(name)
  }
}

/** The parameters that a statement is sent with. */
export const filled = (parameters: readonly unknown[]): unknown[] =>
  parameters.map((parameter) => (typeof parameter === 'string' ? (values.get(parameter) ?? parameter) : parameter))
