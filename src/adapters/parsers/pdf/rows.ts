import { type Area, around, type Run, sharedHeight } from './run.ts'

/** Runs on one line of writing, as they are read, with the text that they make. */
export interface Row extends Area {
  text: string
  /** Size of its largest font. */
  size: number
  rightToLeft: boolean
}

/** Lines of writing from top to bottom. */
export function rows(runs: readonly Run[]): Row[] {
  const groups: Run[][] = []
  // From the middle, since letters of another size share a line's baseline, not its top.
  for (const run of [...runs].sort((a, b) => a.top + a.bottom - (b.top + b.bottom))) {
    const group = groups.slice(-3).find((each) => each[0] !== undefined && sharedHeight(each[0], run) > 0.5)
    if (group === undefined) groups.push([run])
    else group.push(run)
  }
  return groups.map(rowOf).filter((row) => row.text !== '')
}

function rowOf(runs: Run[]): Row {
  const letters = runs.reduce((sum, run) => sum + (run.rightToLeft ? run.text.length : 0), 0)
  const all = runs.reduce((sum, run) => sum + run.text.trim().length, 0)
  const rightToLeft = letters * 2 > all
  const inOrder = rightToLeft ? fromTheRight(runs) : [...runs].sort((a, b) => a.left - b.left)
  return { ...around(runs), text: joined(inOrder), size: Math.max(...runs.map((run) => run.size)), rightToLeft }
}

/** In a line that is read from the right, words of a script that is read from the left keep their own order. */
function fromTheRight(runs: Run[]): Run[] {
  const order: Run[] = []
  let leftToRight: Run[] = []
  for (const run of [...runs].sort((a, b) => b.right - a.right)) {
    if (!run.rightToLeft && /[\p{L}\p{N}]/u.test(run.text)) {
      leftToRight.unshift(run)
      continue
    }
    order.push(...leftToRight, run)
    leftToRight = []
  }
  return [...order, ...leftToRight]
}

/** A space where runs have a gap as wide as one; a tab where the gap is as wide as between columns of a table. */
function joined(runs: readonly Run[]): string {
  let text = ''
  let last: Run | undefined
  for (const run of runs) {
    const gap = last === undefined ? 0 : Math.max(run.left - last.right, last.left - run.right)
    if (gap > 2 * run.size) text = `${text.trimEnd()}\t${run.text.trimStart()}`
    else if (!/\s$/.test(text) && !/^\s/.test(run.text) && (gap > 0.18 * run.size || changesScript(last, run)))
      text += ` ${run.text}`
    else text += run.text
    if (run.text.trim() !== '') last = run
  }
  return text.replace(/[^\S\t]+/g, ' ').trim()
}

/** Words of two directions are two words, also where the file gives the space between them no width. */
function changesScript(before: Run | undefined, after: Run): boolean {
  if (before === undefined || before.rightToLeft === after.rightToLeft) return false
  return /\p{L}$/u.test(before.text) && /^\p{L}/u.test(after.text)
}
