/** Pages of fewer characters are taken as they are. */
const minCharacters = 40
/** The share of a text beyond which what stands for nothing makes all of it doubtful. */
const maxStrange = 0.3
/** Of letters, in words of Latin script: languages have a third or more. */
const minVowels = 0.2
const minLetters = 200

const scripts = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Ethiopic',
]
const ofScript = scripts.map((name) => new RegExp(`\\p{Script=${name}}`, 'u'))

/**
 * Whether the text of a page says something. A font may name letters that are not those it draws: what it then says is
 * signs and code points of no language, words of several scripts, or words without vowels.
 */
export function isLegible(texts: readonly string[]): boolean {
  // Leaders, rules and blanks say nothing either way.
  const text = texts.join(' ').replace(/[\s._\-–—…·•|=]+/gu, ' ')
  const count = (pattern: RegExp, within = text) => within.match(pattern)?.length ?? 0
  const characters = count(/\S/gu)
  if (characters < minCharacters) return true
  if (count(/[\p{Co}\p{Cn}\p{Cc}\ufffd]/gu) > characters * maxStrange) return false
  if (count(/[\p{L}\p{M}\p{N}\p{Sc}\p{Sm}]/gu) < characters * maxStrange) return false
  const words = text.match(/[\p{L}\p{M}]{3,}/gu) ?? []
  const lengthOf = (some: readonly string[]) => some.reduce((sum, word) => sum + word.length, 0)
  const mixed = words.filter((word) => ofScript.filter((script) => script.test(word)).length > 1)
  if (lengthOf(mixed) > lengthOf(words) * maxStrange) return false
  const latin = (text.match(/\p{Script=Latin}{2,}/gu) ?? []).join('').normalize('NFD')
  return latin.length < minLetters || count(/[aeiouæøœı]/giu, latin) > count(/\p{L}/gu, latin) * minVowels
}
