import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Ledger, nextOperation, type Operation, perform, record, type Send } from './load.ts'

/** How often a client lost its connection and sent the same request to another replica. */
export interface Losses {
  retried: number
  /** How many of those had already taken effect. */
  landed: number
}

/**
 * One client that writes through all replicas in turn until `isOver`. After a lost connection it sends the same request
 * to the next replica until it gets an answer, so each operation is answered in the end.
 */
export async function writeThrough(
  sends: () => readonly Send[],
  ledger: Ledger,
  losses: Losses,
  name: string,
  chance: (below: number) => number,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    const operation = nextOperation(ledger, name, `${name}-${n}`, chance)
    const { answer, lost } = await insist(sends, operation, n)
    if (answer.status !== 200) throw new Error(`${operation.kind} answered ${JSON.stringify(answer)}`)
    if (lost) losses.retried += 1
    if (lost && wasDone(operation, answer)) losses.landed += 1
    acknowledge(ledger, operation, answer, lost)
    await sleep(0)
  }
}

async function insist(sends: () => readonly Send[], operation: Operation, turn: number) {
  for (let tries = 0; tries < 200; tries += 1) {
    const all = sends()
    const send = all[(turn + tries) % all.length]
    if (!send) throw new Error('there are no replicas')
    const answer = await perform(send, operation).catch((error: unknown) => {
      if (error instanceof TypeError) return null
      throw error
    })
    if (answer) return { answer, lost: tries > 0 }
    await sleep(20)
  }
  throw new Error('no replica answers')
}

const wasDone = (operation: Operation, { body }: Answer): boolean =>
  operation.kind === 'ingest' ? body.counts.unchanged === operation.units.length : body.matched === 0

function acknowledge(ledger: Ledger, operation: Operation, answer: Answer, lost: boolean): void {
  const { acknowledged } = ledger
  acknowledged.operations += 1
  if (operation.kind === 'ingest') {
    acknowledged.units += operation.units.length
    record(
      ledger,
      operation,
      answer.body.units.map((unit: { unit_id: string }) => unit.unit_id),
    )
    return
  }
  const whole = answer.body.matched === operation.ids.length
  if (!whole && !(lost && wasDone(operation, answer))) throw new Error(`delete answered ${JSON.stringify(answer)}`)
  acknowledged.deletes += operation.ids.length
  record(ledger, operation, [])
}
