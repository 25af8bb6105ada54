/** Closed word classes of English. They decide whether a sentence keeps its meaning when words are omitted or moved. */

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

export const determiners = set('a an the this that these those its')
export const articles = set('a an the')
export const beForms = set('is are was were be been being am got')
const auxiliaries = set('has have had having do does did s it there')
/** Words without a meaning of their own: a sentence may have them or not. */
export const isLight = (word: string): boolean => determiners.has(word) || beForms.has(word) || auxiliaries.has(word)

export const prepositions = set(`
  of in on at to from by for with into onto over under above below between among through during before after since until
  against about around near behind beside across along toward towards upon within beyond despite than like as per via
  off out up down inside outside past throughout because following including according alongside amid`)
/** The phrase after them says when or where, and may be at either end of its clause. */
export const movablePrepositions = set('in on at during since until within near throughout')

export const joints = set('and but while whereas')
export const relativePronouns = set('who whom whose which that where when')
export const subjectPronouns = set('who which')
export const personalPronouns = set('it he she they we this these who which')

/** English, and the most common ones of other languages: even without their grammar, no denial gets lost. */
const negators = set(`
  not no never none nobody nothing nowhere neither nor cannot without
  nicht kein keine keinen keinem keiner niemals nie ohne pas ne jamais rien sans nunca jamas ningun ninguna sin non mai nessuno
  nao nem sem niet geen nooit inte ingen ikke aldrig ej nie bez ne nem hayir degil yok не нет ни никогда без немає
  لا لم لن ليس ليست غير דלא לא אין नहीं मत बिना 不 没 沒 没有 無 无 未 别 ない ません ず 않 안 못 ไม่ không`)

/**
 * Words that change what a clause claims: a claim that leaves one out says more than the source. They negate it, hedge
 * it, make it a plan, a condition or someone's belief, or limit whom it applies to.
 */
const scopeWords = set(`
  may might could would should must will shall can cannot ought
  likely unlikely possibly probably perhaps maybe potentially allegedly reportedly apparently supposedly seemingly
  if unless whether except provided otherwise lest
  nearly almost barely hardly scarcely rarely seldom sometimes occasionally partly partially approximately roughly about
  around least most some few fewer less half several
  former fake false alleged so-called proposed planned potential possible vice deputy acting would-be ex self-styled
  suspected purported attempted aspiring toy mock counterfeit rumoured rumored`)
/** Stems. */
const scopeStems = set(`
  deni refus fail reject avoid prevent stop block ban prohibit forbid cancel postpon delay threaten plan intend hope want
  wish tri attempt seek aim expect predict forecast propos consid claim alleg believ think suspect assum suppos suggest
  doubt disput question pretend imagin dream fear risk promis pledg vow urg demand call ask request invit order encourag
  appear seem reckon estim`)

export const changesScope = (word: string, stem: string): boolean =>
  negators.has(word) || scopeWords.has(word) || scopeStems.has(stem)

/** Conditions and exceptions that may follow what they limit. */
export const limitsBehind = set('if unless except provided until without')
/** Conditions and exceptions that may be in their own clause before it. */
export const limitsBefore = set('if unless whether except provided lest')

export const speechVerbs = set(`
  said says say told tells reported reports announced announces added adds explained explains stated states wrote writes
  confirmed confirms noted notes warned warns revealed reveals`)

const softAdverbs = set(`
  also then now still again later today yesterday tomorrow tonight just very too so already however moreover meanwhile
  therefore thus even quite rather soon once ago instead together currently recently`)

/** An adverb that says how or when, and may be left out; hedges are not included. */
export const isSoftAdverb = (word: string): boolean => softAdverbs.has(word) || /^\p{L}{3,}ly$/u.test(word)

/** Forms of one word that no stemmer joins: the most common irregular verbs and nouns of English. */
const families = `
  go goes went gone|sell sells sold|buy buys bought|leave leaves left leaving|win wins won winning|lose loses lost losing
  rise rises rose risen|fall falls fell fallen|grow grows grew grown|begin begins began begun|make makes made making
  take takes took taken taking|give gives gave given giving|write writes wrote written writing|speak speaks spoke spoken
  say says said|tell tells told|find finds found finding|build builds built building|hold holds held|keep keeps kept
  lead leads led|meet meets met|pay pays paid|send sends sent|spend spends spent|stand stands stood|bring brings brought
  catch catches caught|teach teaches taught|think thinks thought|fight fights fought|feel feels felt|hear hears heard
  know knows knew known|see sees saw seen|show shows showed shown|throw throws threw thrown|drive drives drove driven driving
  ride rides rode ridden riding|run runs ran running|sing sings sang sung|swim swims swam swum|drink drinks drank drunk
  sink sinks sank sunk|steal steals stole stolen|break breaks broke broken|choose chooses chose chosen choosing
  wear wears wore worn|tear tears tore torn|eat eats ate eaten|draw draws drew drawn|fly flies flew flown
  become becomes became becoming|come comes came coming|sit sits sat sitting|sleep sleeps slept|strike strikes struck
  shoot shoots shot|bear bears bore borne|freeze freezes froze frozen|hide hides hid hidden|shake shakes shook shaken
  let lets letting|put puts putting|cut cuts cutting|hit hits hitting|set sets setting|hurt hurts|beat beats beaten|cost costs
  man men|woman women|child children|person persons|foot feet|tooth teeth|mouse mice|life lives|wife wives|knife knives`

const bases = new Map(
  families.split(/[|\n]/).flatMap((family) => {
    const forms = family.trim().split(/\s+/)
    return forms.map((form) => [form, forms[0] ?? form] as const)
  }),
)

/** The base form of an irregular word; null for any other. */
export const irregularBase = (word: string): string | null => bases.get(word) ?? null

export const magnitudes: ReadonlySet<string> = new Set([
  ...['hundred', 'thousand', 'million', 'billion', 'trillion', 'dozen', 'square', 'cubic'],
])

export const currencySymbols: ReadonlyMap<string, string> = new Map([
  ['$', 'dollar'],
  ['€', 'euro'],
  ['£', 'pound'],
  ['¥', 'yen'],
  ['₹', 'rupee'],
  ['₽', 'rouble'],
  ['₩', 'won'],
])

/** Spellings of one unit; the first one is its name. Different units with the same number contradict each other. */
const units = new Map<string, string>(
  [
    'percent percents % per\u{a0}cent pct',
    'km kilometre kilometres kilometer kilometers',
    'mile miles mi',
    'm metre metres meter meters',
    'ft foot feet',
    'cm centimetre centimetres centimeter centimeters',
    'mm millimetre millimetres millimeter millimeters',
    'kg kilo kilos kilogram kilograms',
    'g gram grams',
    'mg milligram milligrams',
    'lb lbs',
    'tonne tonnes ton tons',
    'litre litres liter liters',
    'second seconds',
    'ms millisecond milliseconds',
    'minute minutes min',
    'hour hours',
    'day days',
    'week weeks',
    'month months',
    'year years',
    'thousand',
    'million',
    'billion',
    'trillion',
    'dollar dollars usd',
    'pound pounds gbp',
    'yen jpy',
    'euro euros eur',
    'c celsius',
    'f fahrenheit',
    'am',
    'pm',
    'kw kilowatt kilowatts',
    'mw megawatt megawatts',
    'v volt volts',
    'mb megabyte megabytes',
    'gb gigabyte gigabytes',
    'tb terabyte terabytes',
  ].flatMap((line) => line.split(' ').map((word) => [word, line.split(' ')[0] ?? ''] as const)),
)

/** The name of the unit for a folded word, `%` or `per cent`; null for any other. */
export const unitOf = (word: string): string | null => units.get(word) ?? null
