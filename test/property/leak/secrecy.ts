import { expect } from 'vitest'
import type { TestApp } from '../../support/boot.ts'
import { ofUnknown } from './any-query.ts'
import { marksOf } from './documents/model.ts'
import { unknownDocument, unknownSource } from './documents/operations.ts'
import type { ModelUnit, World } from './model.ts'
import { ask, type Operation } from './operations.ts'
import { type Request, unknownId } from './requests.ts'

/** What identifies other Units and documents than these: ids, names, secret words. No answer contains it. */
export function closedMarks(world: World, readable: readonly ModelUnit[], marksOfFiles: readonly string[]): string[] {
  const marks = (unit: ModelUnit) => [unit.unitId, unit.secret, ...(unit.externalId === null ? [] : [unit.externalId])]
  const named = readable.flatMap(({ docId, sourceUri, metadata }) => [docId, sourceUri, metadata.path])
  const open = new Set<unknown>([...readable.flatMap(marks), ...named, ...marksOfFiles])
  return [...world.units.flatMap(marks), ...world.documents.flatMap(marksOf), ...world.overwritten].filter(
    (mark) => !open.has(mark),
  )
}

/** Without what differs from request to request. */
const lasting = (text: string) => text.replace(/"(requestId|tookMs)":[^,}]+/g, '')

/** What is hidden is answered as what does not exist. */
export async function expectUnknownAlike(
  app: TestApp,
  request: Request,
  { status, text }: { status: number; text: string },
  closed: readonly string[],
): Promise<void> {
  const { operation } = request
  const isAny = operation.kind === 'any'
  const unknown = isAny || status === 404 || status === 400 ? unknownOf(operation, closed) : null
  if (unknown) expect(lasting(text)).toBe(lasting((await ask(app, unknown, request)).text))
}

function unknownOf(operation: Operation, closed: readonly string[]): Operation | null {
  if (operation.kind === 'any') {
    const ask = ofUnknown(operation.ask, closed)
    return ask && { kind: 'any', ask }
  }
  if (operation.kind === 'unit') return { kind: 'unit', id: unknownId }
  if (operation.kind !== 'files') return null
  switch (operation.ask.field) {
    case 'document':
      return { kind: 'files', ask: { field: 'document', id: unknownDocument } }
    case 'sourceLink':
      return { kind: 'files', ask: { field: 'sourceLink', unitId: unknownId } }
    case 'ingestDocument':
      return { kind: 'files', ask: { ...operation.ask, sourceUri: unknownSource } }
    default:
      return null
  }
}
