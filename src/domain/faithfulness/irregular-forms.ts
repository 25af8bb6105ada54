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
