/**
 * Words that this project avoids, each with the plain term to use instead. Patterns ignore case unless they name an
 * identifier. An ordinary use of an English word is not matched, such as `almost` for `most`.
 */
const avoided: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bpatien(?:ce|t|tly)\b/i, 'timeout, deadline or threshold'],
  [/\b(?:most|fewest|least)[A-Z]\w*|\b(?:most|fewest) [=:?]|\b(?:most|least):/, 'maxX, minX'],
  [/\banew\b/i, 'again'],
  [/\b(?:goes|went|going) on\b/i, 'continues'],
  [/\b(?:whoever|whomever|somebody|anybody|everybody|nobody else)\b/i, 'anyone who, someone'],
  [/\b(?:is|are|was|were|be|been) (?:told|asked)\b/i, 'is reported, is requested'],
  [/\bso many\b/i, 'N, this number of'],
  [/(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b|matter\b)\w+/i, 'is not a'],
  [/\bthat there (?:is|are|was|were)\b/i, 'existing'],
  [/\bat home\b/i, 'in the home namespace'],
  [/\bdesks?\b/i, 'search client'],
  [/\b(?:sight|sights|glimpses?)\b/i, 'visibility'],
  [/\bletGo\b|\blet go\b|\blets go\b/i, 'ignored'],
  [/\bwitness/i, 'checkpoint'],
  [/\b(?:take|takes|took|taken) up\b|\btakeUp\b/i, 'resume'],
  [/\bupkeep\b/i, 'background'],
  [/\bhurr(?:y|ies|ied)\b/i, 'skip drain'],
  [/\bdoubts?\b/i, 'invalidate'],
  [/\bof one's own\b/i, 'name the limit'],
  [/\bas it should\b|\bnot as it should be\b/i, 'is unavailable, must be'],
  [/\bmoving house\b/i, 'export and import'],
  [/\bwhat it reaches\b/i, 'benchmarks'],
  [/\bthe doors?\b/i, 'the API'],
  [/\b(?:stand-?ins?|withStandIns)\b/i, 'substitutes'],
]

/** The avoided words of a text, each with its replacement. */
export function avoidedWordsIn(text: string): string[] {
  return avoided.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text)
    return found ? [`"${found[0]}": write ${instead}`] : []
  })
}
