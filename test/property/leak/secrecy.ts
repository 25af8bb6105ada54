import { expect } from 'vitest'
import type { TestApp } from '../../support/boot.ts'
import { marksOf } from './documents/model.ts'
import { unknownDocument, unknownSource } from './documents/operations.ts'
import type { ModelUnit, World } from './model.ts'
import { ask, type Operation } from './operations.ts'
import { type Request, unknownId } from './requests.ts'

/** Checks that the answer contains nothing of other Units and documents: no id, no name, no secret word. */
export function expectNothingOf(
  world: World,
  readable: readonly ModelUnit[],
  marksOfFiles: readonly string[],
  text: string,
): void {
  const marks = (unit: ModelUnit) => [unit.unitId, unit.secret, ...(unit.externalId === null ? [] : [unit.externalId])]
  const named = readable.flatMap(({ docId, sourceUri, metadata }) => [docId, sourceUri, metadata.path])
  const open = new Set<unknown>([...readable.flatMap(marks), ...named, ...marksOfFiles])
  const closed = [...world.units.flatMap(marks), ...world.documents.flatMap(marksOf), ...world.overwritten].filter(
    (mark) => !open.has(mark),
  )
  expect(closed.filter((mark) => text.includes(mark))).toEqual([])
}

/** What is hidden is answered as what does not exist. */
export async function expectUnknownAlike(
  app: TestApp,
  request: Request,
  { status, text }: { status: number; text: string },
): Promise<void> {
  const unknown = status === 404 || status === 400 ? unknownOf(request.operation) : null
  if (unknown) expect(text).toBe((await ask(app, unknown, request)).text)
}

function unknownOf(operation: Operation): Operation | null {
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
