import type { Permission, Plane } from './generated/graphql.ts'

export const permissions: readonly Permission[] = ['read', 'write', 'admin']
export const allPlanes: readonly Plane[] = ['text', 'visual', 'audio', 'doc_visual']

/** Groups as typed: separated by commas or spaces. */
export const groupsOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((group) => group !== ''))]

/** The end of a day of the reader's own clock, in epoch milliseconds; null without one. */
export function endOfDay(text: string): number | null {
  const [year, month, day] = text.split('-').map(Number)
  if (year === undefined || month === undefined || day === undefined) return null
  return new Date(year, month - 1, day + 1).getTime() - 1
}
