/**
 * English words for the same relation, as stems: `the birthplace of` asks for what a text tells as `was born in`. Forms of
 * one word, such as `founder` and `founded`, are known without a list.
 */
const groups = `
  born birth birthplac nativ
  die death dead buri
  spous marri wife husband wed marriag partner
  child children son daughter
  parent father mother
  sibl brother sister
  founder found establish set creat form start launch
  creator creat
  author write wrote written writer novelist book
  compos music score
  perform singer sing sung song band record artist musician
  direct director filmmak
  produc product
  own owner belong
  employ work job
  univers school colleg attend educ studi graduat alma
  base headquart headquarters seat
  locat situat lie
  label record releas publish
  citizen citizenship nation
  star cast actor actress play role
  publish publisher
  inhabit popul resid
  border adjac neighbor neighbour
  flow mouth empti
  kill assassin murder
  win won winner
  lead leader led head chief
  name call
  creator creat design designer sculptor sculptur artist architect
  command commander led lead leader general
  build built builder construct erect
  begin began begun start
  acquir bought buy purchas
  coach train trainer
  teach teacher taught mentor`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/u))

const related = new Map<string, Set<string>>()
for (const group of groups) {
  for (const word of group) {
    const known = related.get(word) ?? new Set()
    for (const other of group) if (other !== word) known.add(other)
    related.set(word, known)
  }
}

const none: ReadonlySet<string> = new Set()

/** The stems that tell of the same relation as this one. */
export const relatedTo = (term: string): ReadonlySet<string> => related.get(term) ?? none
