/**
 * Words that mark a question or name the kind of thing it asks for, but rarely its topic: a text may answer without
 * them. English words are stems of the analysis. Other languages also list their most common function words, which the
 * analysis does not know.
 */
const english = new Set(
  `name call mani much type kind year term number time one two three first main major mean happen occur take place locat use
  made make give given known consid describ found find said say state includ becom becam provid show play role part person
  peopl thing way exampl result reason purpos differ similar relat form caus effect follow origin current modern day often
  usual typic general tell sort along use besid also someth someon anyon member group countri citi compani world new work
  produc come get go like do long far old larg largest big biggest small high highest good refer exist appear total averag
  percentag percent amount rate import common popular begin end area region level`.split(/\s+/),
)

const others = new Set(
  `wer wen wem wessen wann warum wieso wie viel viele was welch welche welcher welches welchem welchen wofur woran womit der
  die das den dem des ein eine einen einem einer eines und oder ist sind war waren wird wurde wurden werden hat haben hatte
  sich mit von vom zu zum zur bei beim fur auf aus nach uber unter durch als auch nicht man im ihr ihre sein seine es er sie

  que quien quienes cual cuale cuando donde como cuanto cuanta cuantos cuanta por para con sin de del la el los las un una
  unos unas y o en se su sus lo le les es son fue fueron era eran ha han habia al qui quand ou comment pourquoi combien quel
  quell est sont ete des du dan sur avec pour par une le

  кто что где когда почему как какой какая какое какие каким каких какого какую сколько чем чему чего кого кому который
  в во на с со и или не по из у о об к от до за для был была было были быть это его ее их он она они

  kim kimin kimler ne neden nasil nerede nereye nereden hangi hangisi kac zaman bir ve ile icin olarak olan en bu da de mi
  midir nedir kimdir

  من ما ماذا متي متى اين أين كيف لماذا لم كم اي أي التي الذي هو هي في علي على الي إلى عن كان كانت و او أو هل قد تم

  कौन क्या कब कहाँ कहां क्यों कैसे कितने कितना कितनी किस किसने किसे कौनसा कौनसे की का के को में से पर ने है हैं था थे थी
  और या एक यह वह लिए द्वारा हुआ हुई

  谁 什么 哪 哪里 哪个 哪些 哪一 何 何时 多少 几 为什么 如何 怎么 怎样 是 的 了 在 和 与 有 被 吗 呢 个 这 那 於 于 中 由 以`.split(
    /\s+/,
  ),
)

/** Whether a term says little about the topic of the question. */
export const isFraming = (term: string): boolean => english.has(term) || others.has(term)

const englishOnly = /\b(?:what|which|who|whom|whose|when|where|why|how|does|did|are|were|the|of)\b/iu
const otherScript = /\p{L}/u
const latin = /\p{Script=Latin}/u

/** Whether a question is in English, judged by its most common words and its script. */
export function isEnglish(text: string, words: readonly string[]): boolean {
  if (englishOnly.test(text)) return true
  return !words.some((word) => others.has(word)) && (latin.test(text) || !otherScript.test(text))
}
