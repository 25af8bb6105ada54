import type { Reading } from './reading.ts'

/** Words that exclude each other; forms of one word are joined by `/`. English; other languages only lose this veto. */
const groups = `
  increase/increases/increased/increasing/rise/rises/rose/rising/grow/grows/grew/growing decrease/decreases/decreased/decreasing/fall/falls/fell/falling/decline/declines/declined/declining/shrink/shrinks/shrank/shrinking
  warm/warms/warmed/warming/warmer cool/cools/cooled/cooling/cooler
  hot cold
  up down
  open/opens/opened/opening close/closes/closed/closing
  more less/fewer
  before after
  large/big small/little
  win/wins/won/winning lose/loses/lost/losing
  accept/accepts/accepted approve/approves/approved reject/rejects/rejected
  support/supports/supported oppose/opposes/opposed
  inside/indoors outside/outdoors
  buy/buys/bought/buying sell/sells/sold/selling
  start/starts/started/begin/begins/began stop/stops/stopped end/ends/ended
  high/higher low/lower
  long/longer short/shorter
  young/younger old/older
  man/men woman/women
  boy/boys girl/girls
  male female
  alive dead
  empty full
  wet dry
  fast/faster slow/slower
  true false
  guilty innocent
  gain/gains/gained loss/losses
  add/adds/added remove/removes/removed
  arrive/arrives/arrived depart/departs/departed leave/leaves/left
  early/earlier late/later
  positive negative
  minimum maximum
  allow/allows/allowed forbid/forbids/forbade/prohibit/prohibits/prohibited
  enable/enables/enabled disable/disables/disabled
  north/northern south/southern east/eastern west/western
  black white red green blue yellow brown orange purple pink grey/gray
  monday tuesday wednesday thursday friday saturday sunday
  january february march april june july august september october november december
  all none
  always never`

const groupOf = new Map<string, { group: number; member: number }>()
for (const [group, line] of groups.trim().split('\n').entries()) {
  for (const [member, forms] of line.trim().split(' ').entries()) {
    for (const form of forms.split('/')) if (!groupOf.has(form)) groupOf.set(form, { group, member })
  }
}

/** Whether the hypothesis uses one such word where the evidence uses another instead. */
export function contradictsByContrast(hypothesis: Reading, evidence: Reading): boolean {
  const [here, there] = [membersOf(hypothesis), membersOf(evidence)]
  for (const [group, members] of here) {
    const others = there.get(group)
    if (others && [...members].every((member) => !others.has(member))) return true
  }
  return false
}

function membersOf({ words }: Reading): Map<number, Set<number>> {
  const members = new Map<number, Set<number>>()
  for (const { word } of words) {
    const known = groupOf.get(word)
    if (known) members.set(known.group, (members.get(known.group) ?? new Set()).add(known.member))
  }
  return members
}
