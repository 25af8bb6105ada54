const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'
const cardinals = new Map([
  ...small.split(' ').map((word, i) => [word, i] as const),
  ...tens.split(' ').map((word, i) => [word, 20 + 10 * i] as const),
])

/** The number that an English word spells, below a hundred; null for any other word. */
export const cardinalOf = (word: string): number | null => cardinals.get(word) ?? null
