import snowball from 'snowball-stemmers'
import { describe, expect, it } from 'vitest'
import { analyse } from '../../src/adapters/index-embedded/analysis/analyse.ts'
import {
  detectLanguage,
  languageOfQuery,
  languageOfText,
} from '../../src/adapters/index-embedded/analysis/detect-language.ts'
import { highlights } from '../../src/adapters/index-embedded/analysis/find-passage.ts'
import { functionWords } from '../../src/adapters/index-embedded/analysis/function-words.ts'
import { keyOf, languageOf, lexemeOf } from '../../src/adapters/index-embedded/analysis/lexemes.ts'
import { morphologyOf, stemmerOf } from '../../src/adapters/index-embedded/analysis/morphology.ts'
import { canonicalLanguage, primaryLanguage } from '../../src/model/language.ts'

const texts: Readonly<Record<string, string>> = {
  ar: 'وصلت السفينة إلى الميناء في الصباح الباكر مع ركابها',
  da: 'Skibet kom tilbage til havnen, og passagererne måtte vente, mens det blev losset af mændene.',
  de: 'Das Schiff ist am Morgen in den Hafen eingelaufen und wird dort entladen.',
  el: 'Το πλοίο έφτασε στο λιμάνι το πρωί με τους επιβάτες του.',
  en: 'The ship came into the harbour in the morning and was unloaded there.',
  es: 'El barco llegó al puerto por la mañana con los pasajeros y las mercancías.',
  fi: 'Laiva oli satamassa aamulla, ja se on siellä myös huomenna, kun matkustajat tulevat.',
  fr: 'Le bateau est arrivé dans le port avec les passagers et les marchandises.',
  hi: 'जहाज सुबह यात्रियों के साथ बंदरगाह में पहुँचा',
  hu: 'A hajó reggel érkezett meg a kikötőbe, és az utasok nem voltak a fedélzeten, mert már kiszálltak.',
  it: 'La nave è arrivata nel porto di mattina con i passeggeri e le merci della città.',
  nl: 'Het schip is in de ochtend in de haven aangekomen en wordt daar gelost.',
  pt: 'O navio chegou ao porto pela manhã com os passageiros e não foi descarregado.',
  ro: 'Nava a ajuns în port dimineața cu pasagerii și nu este descărcată până la prânz.',
  ru: 'Корабль вошёл в порт утром вместе с пассажирами',
  sv: 'Fartyget kom till hamnen på morgonen och det var inte det första i år.',
  tr: 'Gemi sabah limana geldi ve yolcular için çok güzel bir gün oldu, ama hava soğuk değil.',
  vi: 'Con tàu đã đến cảng vào buổi sáng với những hành khách của nó.',
}

describe('the language of a text', () => {
  for (const [language, text] of Object.entries(texts)) {
    it(`is found: ${language}`, () => expect(detectLanguage(text)).toBe(language))
  }

  it('is not guessed from names, headings, numbers, or a script of several languages', () => {
    const unknown = [
      '',
      '4711',
      'Kennedy, Al Gore, George W.',
      'Permutation (Algorithm 71)',
      'کشتی صبح به بندر رسید',
      '東京の港',
    ]
    expect(unknown.map(detectLanguage)).toEqual(unknown.map(() => null))
    expect(languageOfText('ship harbour morning')).toBeNull()
  })

  it('is found from letters where function words do not say it', () => {
    const heading = 'Hafenordnung: Anlegestellen, Liegegebühren, Öffnungszeiten, Lotsenpflicht, Schleusenbetrieb'
    expect([languageOfText(heading), detectLanguage(heading)]).toEqual([null, 'de'])
  })

  it('of a query needs one function word', () => {
    const queries = [
      'Wann fährt die Fähre?',
      'When does the ferry leave?',
      'Quand part le bateau ?',
      'ferry',
      'порт утром',
    ]
    expect(queries.map(languageOfQuery)).toEqual(['de', 'en', 'fr', null, 'ru'])
  })
})

describe('words of a language', () => {
  // Stems are stored: with others, an index would have to be built again.
  it.each([
    ['ar', 'arabic'],
    ['de', 'german'],
    ['es', 'spanish'],
    ['ga', 'irish'],
    ['hu', 'hungarian'],
    ['it', 'italian'],
    ['nl', 'dutch'],
    ['no', 'norwegian'],
    ['pt', 'portuguese'],
    ['ro', 'romanian'],
    ['sv', 'swedish'],
    ['tr', 'turkish'],
  ])('have the same stems in both libraries: %s', (code, name) => {
    const other = snowball.newStemmer(name)
    const texted = (texts[code] ?? '').toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
    const words = [...(functionWords[code]?.split(' ') ?? []), ...texted]
    expect(words.length).toBeGreaterThan(10)
    expect(words.map((word) => stemmerOf(code)?.(word))).toEqual(words.map((word) => other.stem(word)))
  })

  const stems = (language: string, ...words: string[]) => {
    const morphology = morphologyOf(language)
    return new Set(words.map((word) => morphology?.stem(morphology.written(word) ?? ''))).size
  }

  it('share a stem in their forms', () => {
    expect(stems('de', 'Häuser', 'Hauses')).toBe(1)
    expect(stems('ru', 'корабль', 'кораблями', 'Корабля')).toBe(1)
    expect(stems('el', 'άνθρωποι', 'ανθρώπων', 'ΑΝΘΡΩΠΟΥΣ')).toBe(1)
    expect(stems('fr', 'continuellement', 'continuelle')).toBe(1)
    expect(stems('tr', 'IŞIK', 'ışık')).toBe(1)
    expect(stems('hi', 'लड़कियों', 'लड़की')).toBe(1)
  })

  it('are distinguished by marks in Vietnamese alone', () => {
    expect(stems('vi', 'ma', 'má', 'mà', 'mạ')).toBe(4)
    expect(stems('es', 'fácil', 'facil')).toBe(1)
  })

  it('have no rules of their own where none are known, and English ones in English', () => {
    expect(['en', 'zh', 'ja', 'ko', 'th', 'uk', null].map(morphologyOf)).toEqual(Array(7).fill(null))
    expect(stems('pl', 'statki', 'statek')).toBe(2)
  })
})

describe('the key of a word', () => {
  it('names its language and no part of the word, whatever a character stands for', () => {
    const forms = Array.from({ length: 0x1_0000 }, (_, point) => String.fromCharCode(point)).filter(
      (char) => /\p{L}/u.test(char) && char.normalize('NFKC') !== char,
    )
    expect(forms).toContain('ﷺ')
    for (const language of Object.keys(texts)) {
      const morphology = morphologyOf(language)
      const keys = forms.flatMap((form) => analyse(form).map((token) => keyOf(token, form, morphology)))
      const languages = keys.flatMap((key) => [languageOf(key), languageOf(lexemeOf(key).stem ?? key)])
      expect([...new Set(languages)].filter((one) => one !== null && one !== language)).toEqual([])
    }
  })

  it('of a character of several words has them one by one', () => {
    const arabic = morphologyOf('ar')
    const keysOf = (text: string) => analyse(text).map((token) => keyOf(token, text, arabic))
    expect(keysOf('ﷺ')).toEqual(keysOf('صلى الله عليه وسلم'))
  })
})

describe('highlights', () => {
  const marked = (query: string, text: string) =>
    highlights({ text: query }, text).map(({ start, end }) => text.slice(start, end))

  it('follow the language of the text', () => {
    expect(marked('Schiffe im Häfen', 'Das Schiff ist in den Hafen gefahren und wird dort repariert.')).toEqual([
      'Schiff',
      'Hafen',
    ])
    expect(marked('кораблями', 'Корабль вошёл в порт')).toEqual(['Корабль'])
  })

  it('of a query without marks find Vietnamese words with them, others only their own', () => {
    const text = 'Con tàu đã đến cảng Đà Nẵng vào buổi sáng với những hành khách.'
    expect(marked('da nang', text)).toEqual(['đã', 'Đà', 'Nẵng'])
    expect(marked('cảng sang', text)).toEqual(['cảng'])
  })
})

describe('a language tag', () => {
  it('becomes canonical, and its first part counts', () => {
    expect(['DE-ch', 'nb', 'pt-br', 'zh-Hant-TW'].map(canonicalLanguage)).toEqual([
      'de-CH',
      'nb',
      'pt-BR',
      'zh-Hant-TW',
    ])
    expect(['de-CH', 'nb', 'nn-NO', 'zh-Hant'].map(primaryLanguage)).toEqual(['de', 'no', 'no', 'zh'])
    expect([null, 'not a tag', ''].map(primaryLanguage)).toEqual([null, null, null])
    expect(['', 'german language', 'x', 'de_CH'].map(canonicalLanguage)).toEqual([null, null, null, null])
  })
})
