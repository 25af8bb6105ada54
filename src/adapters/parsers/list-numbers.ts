import { element, elements, type XmlElement } from './parse-xml.ts'

export interface Level {
  /** As WordprocessingML names it, or as OpenDocument does by an example. */
  format: string
  /** `%1.%2)`: the numbers of the levels stand in it. */
  text: string
  start: number
  /** All numbers in it are decimal ones. */
  isLegal?: boolean
  /** The style whose paragraphs are of this level. */
  style?: string | undefined
}

export interface List {
  levels: ReadonlyMap<number, Level>
  /** Lists of one definition count on. */
  counts: number[]
}

/** The numbers of a document's lists, as Word writes them before their paragraphs. */
export interface ListNumbers {
  /**
   * What stands before the next paragraph of a list, such as `2.1.`; `-` for a bullet, empty for none. `restart`: the
   * number that it begins to count from again.
   */
  next(list: string, level: number, restart?: number): string
  /** The level of a list whose paragraphs have this style. */
  levelOf(list: string, style: string): number | undefined
}

const value = (parent: XmlElement | undefined, ...path: string[]) => element(parent, ...path)?.attributes['w:val']

const maxLevels = 9

/** Of WordprocessingML (ECMA-376 part 1, 17.9). */
export function listNumbers(root: XmlElement | null): ListNumbers {
  const definitions = new Map<string, List>()
  const written = root ? elements(root, 'abstractNum') : []
  for (const definition of written) {
    // The levels stand in the definition that a style of lists names.
    const style = value(definition, 'numStyleLink')
    const own = style === undefined ? definition : written.find((other) => value(other, 'styleLink') === style)
    const levels = own ? levelsOf(own) : new Map<number, Level>()
    definitions.set(definition.attributes['w:abstractNumId'] ?? '', { levels, counts: [] })
  }
  const lists = new Map<string, List>()
  for (const list of root ? elements(root, 'num') : []) {
    const own = definitions.get(value(list, 'abstractNumId') ?? '')
    if (!own) continue
    const changes = elements(list, 'lvlOverride')
    const levels = new Map([...own.levels, ...changes.flatMap((change) => changed(change, own.levels))])
    lists.set(list.attributes['w:numId'] ?? '', changes.length > 0 ? { levels, counts: [] } : own)
  }
  return countLists(lists)
}

/** Lists by their id. */
export function countLists(lists: ReadonlyMap<string, List>): ListNumbers {
  return {
    levelOf: (id, style) =>
      lists
        .get(id)
        ?.levels.entries()
        .find(([, level]) => level.style === style)?.[0],
    next: (id, at, restart) => {
      const list = lists.get(id)
      const level = list?.levels.get(at)
      if (!list || !level || at >= maxLevels) return ''
      list.counts[at] = restart ?? (list.counts[at] ?? level.start - 1) + 1
      list.counts.length = at + 1
      if (level.format === 'bullet') return '-'
      if (level.format === 'none') return ''
      return level.text.replace(/%([1-9])/g, (_, digit: string) => {
        const [place, shown] = [Number(digit) - 1, list.levels.get(Number(digit) - 1)]
        const format = level.isLegal ? 'decimal' : shown?.format
        return shown ? numeral(list.counts[place] ?? shown.start, format ?? '') : ''
      })
    },
  }
}

const levelsOf = (parent: XmlElement): Map<number, Level> =>
  new Map(
    elements(parent, 'lvl').map((level) => [
      Number(level.attributes['w:ilvl']),
      {
        format: value(level, 'numFmt') ?? 'decimal',
        text: value(level, 'lvlText') ?? '',
        start: Number(value(level, 'start') ?? 1),
        isLegal: element(level, 'isLgl') !== undefined,
        style: value(level, 'pStyle'),
      },
    ]),
  )

function changed(change: XmlElement, levels: ReadonlyMap<number, Level>): [number, Level][] {
  const at = Number(change.attributes['w:ilvl'])
  const level = [...levelsOf(change).values()][0] ?? levels.get(at)
  return level ? [[at, { ...level, start: Number(value(change, 'startOverride') ?? level.start) }]] : []
}

/**
 * Of OpenDocument: the levels of a list, or of the headings of a document, count from 0. `unnumbered`: the format of levels
 * without numbers.
 */
export function levelsOfOdf(list: XmlElement, unnumbered: string): ReadonlyMap<number, Level> {
  const levels = new Map(elements(list).map((level) => [Number(level.attributes['text:level'] ?? 1) - 1, level]))
  const formatOf = (at: number) => {
    const level = levels.get(at)
    return level?.name.endsWith('-bullet') ? '' : (level?.attributes['style:num-format'] ?? '')
  }
  return new Map(
    [...levels].map(([at, { attributes }]) => {
      const first = at + 1 - (Number(attributes['text:display-levels']) || 1)
      const shown = Array.from(levels.keys().filter((other) => other >= first && other <= at && formatOf(other) !== ''))
      const numbers = shown.sort((a, b) => a - b).map((other) => `%${other + 1}`)
      return [
        at,
        {
          format: formatOf(at) || unnumbered,
          text: `${attributes['style:num-prefix'] ?? ''}${numbers.join('.')}${attributes['style:num-suffix'] ?? ''}`,
          start: Number(attributes['text:start-value'] ?? 1),
        },
      ]
    }),
  )
}

const romans = 'm1000 cm900 d500 cd400 c100 xc90 l50 xl40 x10 ix9 v5 iv4 i1'.split(' ')

function roman(count: number): string {
  let text = ''
  for (const step of romans) {
    const [, letters = '', worth] = /^(\D+)(\d+)$/.exec(step) ?? []
    for (; count >= Number(worth); count -= Number(worth)) text += letters
  }
  return text
}

/** Signs that count, by their name in WordprocessingML: a to z, then aa, bb. OpenDocument gives the first as an example. */
const alphabets: Readonly<Record<string, string>> = {
  lowerLetter: 'abcdefghijklmnopqrstuvwxyz',
  russianLower: 'абвгдежзиклмнопрстуфхцчшщыэюя',
  greek: 'αβγδεζηθικλμνξοπρστυφχψω',
  hebrew2: 'אבגדהוזחטיכלמנסעפצקרשת',
  arabicAlpha: 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي',
  arabicAbjad: 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ',
  thaiLetters: 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
  ganada: '가나다라마바사아자차카타파하',
  chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
  aiueo: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  iroha: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
  decimalEnclosedCircle: '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
  decimalEnclosedParen: '⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇',
  decimalEnclosedFullstop: '⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛',
  chicago: '*†‡§',
}

/** The signs of a format, in capitals where it says so. */
function signsOf(format: string): string[] {
  const [first = ''] = format
  const names = Object.keys(alphabets)
  const wanted = format
    .replace(/^upper/, 'lower')
    .replace(/Upper$/, 'Lower')
    .replace('FullWidth', '')
  const isExample = format.length === 1 || format.includes(',')
  const name = names.find((each) => (isExample ? alphabets[each]?.startsWith(first.toLowerCase()) : each === wanted))
  const signs = alphabets[name ?? ''] ?? ''
  return [...(/upper/i.test(format) || first !== first.toLowerCase() ? signs.toUpperCase() : signs)]
}

const ideographs = [...'〇一二三四五六七八九']

/** Up to 99, as people count: 十, 十一, 二十. */
function ideographic(count: number): string {
  const [tens, ones] = [Math.floor(count / 10), count % 10]
  return (tens > 1 ? ideographs[tens] : '') + (tens > 0 ? '十' : '') + (ones > 0 ? ideographs[ones] : '')
}

/** Letters by their worth, up to 99. 15 and 16 would spell a name. */
const hebrew = (count: number) =>
  (['טו', 'טז'][count - 15] ?? (' יכלמנסעפצ'[Math.floor(count / 10)] ?? '') + (' אבגדהוזחט'[count % 10] ?? '')).trim()

const endings = ['th', 'st', 'nd', 'rd']
const ordinal = (count: number) =>
  `${count}${(Math.floor((count % 100) / 10) === 1 ? undefined : endings[count % 10]) ?? 'th'}`

/** `format` is that of a level. */
export function numeral(count: number, format: string): string {
  if (count < 1 || count > 5_000) return String(count)
  if (format === 'ordinal') return ordinal(count)
  if (format === 'lowerRoman' || format === 'i') return roman(count)
  if (format === 'upperRoman' || format === 'I') return roman(count).toUpperCase()
  if (format === 'decimalZero' && count < 10) return `0${count}`
  if (format === 'numberInDash') return `- ${count} -`
  if (format === 'hex') return count.toString(16).toUpperCase()
  if (/Digital$/.test(format)) return String(count).replace(/\d/g, (digit) => ideographs[Number(digit)] ?? digit)
  if (/^(chinese|japanese|taiwanese)Counting|^一/.test(format) && count < 100) return ideographic(count)
  if (format === 'hebrew1' && count < 100) return hebrew(count)
  const signs = signsOf(format)
  // Enclosed numbers end; letters begin again.
  if (signs.length === 0 || (/Enclosed|^①/.test(format) && count > signs.length)) return String(count)
  return (signs[(count - 1) % signs.length] ?? '').repeat(Math.ceil(count / signs.length))
}
