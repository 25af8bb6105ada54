/**
 * A query over a few Units. `first`: this one is the first hit; `order`: these come in this order; `only`: these are all; `all`: these are hits;
 * `none`: none of these is a hit.
 */
export interface SearchCase {
  name: string
  units: { id: string; text: string; [field: string]: unknown }[]
  padding?: number
  q: string
  options?: object
  first?: string
  order?: string[]
  not_first?: string
  none?: string[]
  all?: string[]
  only?: string[]
}

type Expected = Pick<SearchCase, 'first' | 'order' | 'none' | 'all' | 'only' | 'options'>

const open = { prefix: 'last' }
/** More than letters match. */
const sure = { min_score: 0.31 }

/** Texts by their id: each begins with the letter that is its id. */
const table: [name: string, q: string, texts: Record<string, string>, expected: Expected][] = [
  [
    'German beginning',
    'Hafenm',
    { a: 'Der Hafenmeister führt das Buch', b: 'Der Meister im Hafen' },
    { first: 'a', options: open },
  ],
  [
    'German beginning with an umlaut',
    'Mül',
    { a: 'Herr Müller wohnt hier', b: 'Herr Maler wohnt hier' },
    { only: ['a'], options: open },
  ],
  [
    'French beginning without its accent',
    'eco',
    { a: 'Les écoles du port', b: 'Le port est fermé' },
    { only: ['a'], options: open },
  ],
  [
    'Russian beginning',
    'маяк гав',
    { a: 'Маяк стоит у гавани', b: 'Маяк стоит на горе' },
    { order: ['a', 'b'], options: open },
  ],
  [
    'Greek beginning',
    'λιμ',
    { a: 'Το λιμάνι είναι κλειστό', b: 'Ο φάρος είναι κλειστός' },
    { only: ['a'], options: open },
  ],
  ['no part of a word', 'film -YouTube', { a: 'A film of a tube', b: 'A YouTube film' }, { only: ['a'] }],
  [
    'no part of a word, in the plural',
    'broke -iPhone',
    { a: 'The phone broke', b: 'Two iPhones broke' },
    { only: ['a'] },
  ],
  [
    'words as they are typed before their other forms',
    'returns hidden nodes',
    {
      a: 'Returns a function that keeps hidden nodes out of a long drawing of many other things',
      b: 'Return a node: a hidden node returned, node by node, returning hidden nodes',
      c: 'Hidden node of a node, returned: nodes return to a hidden node',
    },
    { first: 'a' },
  ],
  [
    'German words as they are typed before their other forms',
    'alte Boote',
    {
      a: 'Im Hafen der Stadt und auf der Werft liegen heute noch zwei alte Boote aus Holz',
      b: 'Das alte Boot, ein altes Boot, und das Boot ist alt',
    },
    { order: ['a', 'b'] },
  ],
  ['currency', '€5', { a: 'Tickets cost €5', b: 'Tickets cost $5', c: 'Tickets cost 5 pounds' }, { first: 'a' }],
  ['currency behind', '5€', { a: 'Karten für 5€', b: 'Karten für 5$' }, { first: 'a' }],
  [
    'Korean particle of a text',
    '서울',
    { a: '서울에서 부산까지 기차를 탔다', b: '대구에서 비가 왔다' },
    { only: ['a'], options: sure },
  ],
  [
    'Korean particle of a query',
    '항구에서는',
    { a: '항구가 여덟 시에 연다', b: '세무서는 아홉 시에 연다' },
    { only: ['a'], options: sure },
  ],
  ['Korean exclusion', '책 -학교', { a: '도서관에서 책을 읽었다', b: '학교에서 책을 읽었다' }, { only: ['a'] }],
  [
    'a Korean noun that ends like a particle',
    '가을',
    { a: '가을이 왔다', b: '가가 왔다' },
    { only: ['a'], options: sure },
  ],
  ['beginning of one letter', 'q', { a: 'The quay is wet', b: 'The pier is wet' }, { only: ['a'], options: open }],
  [
    'a word before its longer ones',
    'pier light',
    { a: 'The pier has a lighthouse', b: 'The pier has a light' },
    { order: ['b', 'a'], options: open },
  ],
  [
    'a shorter rest before a longer one',
    'harbo',
    { a: 'Harbourmasters meet', b: 'Harbours meet' },
    { order: ['b', 'a'], options: open },
  ],
  [
    'a stop word that begins others',
    'the',
    { a: 'Theatre by the sea', b: 'Cinema by a lake' },
    { first: 'a', options: open },
  ],
  [
    'beginning of a name',
    'os.pa',
    { a: 'os.path joins parts', b: 'os.name says which' },
    { first: 'a', options: open },
  ],
  [
    'no beginning after a blank',
    'harb ',
    { a: 'The harbour master', b: 'The harb grows here' },
    { first: 'b', options: open },
  ],
  [
    'beginning after a phrase',
    '"the pier" lig',
    { a: 'Light on the pier', b: 'Pier of the light' },
    { only: ['a'], options: open },
  ],
  ['German phrase', '"zu Fuß"', { a: 'Wir gehen zu Fuss zum Hafen', b: 'Der Fuß, zu dem wir gehen' }, { only: ['a'] }],
  [
    'German ß in the query',
    'Straße',
    { a: 'Die Strasse am Hafen', b: 'Der Platz am Hafen' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'German umlaut in the query, written out in the text',
    'Müller',
    { a: 'Herr Mueller wohnt hier', b: 'Herr Maler wohnt hier' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'German phrase written out',
    '"Herr Mueller"',
    { a: 'Der Brief an Herr Müller liegt hier', b: 'Der Brief an Herr Muller liegt hier' },
    { only: ['a'] },
  ],
  [
    'German phrase with umlauts',
    '"schöne grüße"',
    { a: 'Viele schoene Gruesse', b: 'Viele Grüße, schöne' },
    { only: ['a'] },
  ],
  [
    'German exclusion by its stem',
    'Hafen -Schiff',
    { a: 'Im Hafen liegen zwei Schiffe und warten auf die Ladung', b: 'Im Hafen liegt Eis und wartet auf die Sonne' },
    { only: ['b'] },
  ],
  [
    'Swedish å',
    'Aalborg',
    { a: 'Färjan till Ålborg går klockan nio', b: 'Färjan till Borgholm går klockan nio' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'Danish ø',
    'Soeren',
    { a: 'Søren bor ved havnen', b: 'Karen bor ved havnen' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'Danish ø without its stroke',
    'Soren',
    { a: 'Søren bor ved havnen', b: 'Karen bor ved havnen' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'Norwegian æ',
    'Baerum',
    { a: 'Toget til Bærum er innstilt', b: 'Toget til Asker er innstilt' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['Norwegian exclusion', 'tog -Bærum', { a: 'Tog til Baerum', b: 'Tog til Asker' }, { only: ['b'] }],
  [
    'Finnish ä',
    'Jaervi',
    { a: 'Järvi on tyyni aamulla', b: 'Meri on tyyni aamulla' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'Turkish ı',
    'ISPARTA',
    { a: 'ısparta güllerin şehri', b: 'izmir körfezin şehri' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'Turkish exclusion by its stem',
    'seyahat -gemi',
    { a: 'Bu seyahat için gemiler çok güzel', b: 'Bu seyahat için trenler çok güzel' },
    { only: ['b'] },
  ],
  ['Turkish plural', 'araba', { a: 'Bu arabalar çok güzel', b: 'Bu evler çok güzel' }, { only: ['a'], options: sure }],
  [
    'Turkish noun that ends like an ending',
    'güzel -deniz',
    { a: 'Ben de geldim ve çok güzel oldu', b: 'Bu deniz çok güzel' },
    { only: ['a'] },
  ],
  [
    'Turkish noun of two letters',
    'su',
    { a: 'Bu sular için çok güzel', b: 'Bu yol için çok güzel' },
    { only: ['a'], options: sure },
  ],
  [
    'Arabic noun with its owner',
    'كتاب',
    { a: 'وصلت بكتابهم إلى الميناء', b: 'وصلت بطعامهم إلى الميناء' },
    { only: ['a'], options: sure },
  ],
  [
    'Polish ł',
    'Lodz',
    { a: 'Pociąg do Łódź odjeżdża', b: 'Pociąg do Gdańsk odjeżdża' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['Polish phrase without marks', '"do lodz"', { a: 'Pociąg do Łódź odjeżdża', b: 'Łódź do nas' }, { only: ['a'] }],
  [
    'French phrase',
    '"l\'heure d\'été"',
    { a: 'On passe à l’heure d’été en mars', b: 'Une heure en été' },
    { only: ['a'] },
  ],
  [
    'French phrase without accents',
    '"a la carte"',
    { a: 'Le dîner est à la carte', b: 'La carte est à table' },
    { only: ['a'] },
  ],
  ['French œ', 'coeur', { a: 'Le cœur du port', b: 'Le nord du port' }, { first: 'a', options: { min_score: 0.5 } }],
  [
    'Spanish exclusion',
    'barco -pescado',
    { a: 'El barco trae pescados del mar para la ciudad', b: 'El barco trae madera del norte para la ciudad' },
    { only: ['b'] },
  ],
  ['Spanish phrase', '"por fin"', { a: 'Por fin llega el barco', b: 'Al fin, por la noche' }, { only: ['a'] }],
  ['Italian exclusion of a phrase', 'mare -"alto mare"', { a: 'In alto mare', b: 'Il mare è alto' }, { only: ['b'] }],
  [
    'Portuguese phrase of stop words',
    '"o que é"',
    { a: 'Pergunta o que é isto', b: 'É isto que o barco traz' },
    { only: ['a'] },
  ],
  ['Russian phrase', '"на воде"', { a: 'Дом стоит на воде', b: 'Вода на доме' }, { only: ['a'] }],
  ['Russian ё', '"ёлка стоит"', { a: 'У причала елка стоит', b: 'Стоит ёлка у причала' }, { only: ['a'] }],
  [
    'Russian exclusion by its stem',
    'порт -корабль',
    { a: 'В порт пришли корабли и стоят у причала', b: 'В порт пришли люди и стоят у причала' },
    { only: ['b'] },
  ],
  [
    'Ukrainian ґ',
    'гудзик',
    { a: 'Загубився ґудзик на причалі', b: 'Загубився ключ на причалі' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'Greek phrase without accents',
    '"στο λιμανι"',
    { a: 'Το πλοίο είναι στο λιμάνι', b: 'Το λιμάνι στο νησί' },
    { only: ['a'] },
  ],
  [
    'Greek final sigma',
    'ΛΌΓΟΣ',
    { a: 'Ο λόγος του καπετάνιου', b: 'Ο χάρτης του καπετάνιου' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'Hebrew vowel points',
    'שלום',
    { a: 'שָׁלוֹם לכולם בנמל', b: 'ספינה בנמל' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['Hebrew phrase', '"בית הספר"', { a: 'הילדים בבית או ליד בית הספר', b: 'הספר בבית' }, { only: ['a'] }],
  [
    'Arabic phrase with tatweel',
    '"إلى الميناء"',
    { a: 'رسالة إلـــى الميناء', b: 'الميناء إلى الشرق' },
    { only: ['a'] },
  ],
  [
    'Arabic vowel points',
    'سفينة',
    { a: 'وصلت سَفِينَة الصباح', b: 'وصل قطار الصباح' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['Arabic exclusion', 'الميناء -محمد', { a: 'محمد في الميناء', b: 'خالد في الميناء' }, { only: ['b'] }],
  [
    'Persian without its joiner',
    'میخواهم',
    { a: 'من می\u200cخواهم بروم', b: 'من باید بروم' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['Hindi phrase', '"समुद्र के किनारे"', { a: 'घर समुद्र के किनारे है', b: 'किनारे के समुद्र में' }, { only: ['a'] }],
  ['Hindi vowels are letters', '"दिन"', { a: 'दिन में नाव', b: 'दीन और नाव' }, { only: ['a'] }],
  ['Thai phrase', '"ท่าเรือ"', { a: 'เรืออยู่ที่ท่าเรือใหญ่', b: 'เรือใหญ่อยู่ที่บ้าน' }, { only: ['a'] }],
  ['Chinese phrase within a text without spaces', '"大灯"', { a: '汽车大灯更换', b: '大汽车的灯' }, { only: ['a'] }],
  ['Chinese exclusion', '汽车 -大灯', { a: '汽车大灯更换', b: '汽车轮胎更换' }, { only: ['b'] }],
  ['Japanese half width', '"データ"', { a: 'ﾃﾞｰﾀを保存する', b: 'テープを保存する' }, { only: ['a'] }],
  [
    'Japanese half width by words',
    'カタカナ',
    { a: 'ｶﾀｶﾅの看板', b: 'ひらがなの看板' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['Japanese full width letters', 'JR線', { a: 'ＪＲ線は遅れています', b: '地下鉄は遅れています' }, { first: 'a' }],
  ['Korean phrase', '"부산 항구"', { a: '배가 부산 항구 앞에 있다', b: '항구 도시 부산' }, { only: ['a'] }],
  ['Korean composed', '"한국어"'.normalize('NFD'), { a: '한국어 안내', b: '영어 안내' }, { only: ['a'] }],
  [
    'Vietnamese without marks',
    'ha noi',
    { a: 'Tàu đi Hà Nội sáng nay', b: 'Tàu đi Huế sáng nay' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['Czech phrase', '"na lodi"', { a: 'Jsme na lodi od rána', b: 'Lodi na moři' }, { only: ['a'] }],
  ['Hungarian long vowels', '"hosszú út"', { a: 'Ez egy hosszu ut volt', b: 'Az út nem hosszú' }, { only: ['a'] }],
  ['full width digits', '"２０２４"', { a: 'Rapport 2024', b: 'Rapport 20 24' }, { only: ['a'] }],
  [
    'zero width within a phrase',
    '"har\u200bbour master"',
    { a: 'The harbour\u2060 master sleeps', b: 'The master of the harbour' },
    { only: ['a'] },
  ],
  [
    'soft hyphen',
    'Donaudampfer',
    { a: 'Der Donau\u00addampfer fährt', b: 'Der Zug fährt' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['emoji among others', '🐙', { a: 'Lunch 🐙 at noon', b: 'Lunch 🐟 at noon', c: 'Lunch at noon' }, { only: ['a'] }],
  [
    'emoji of several parts',
    '👩‍💻',
    { a: 'Work 👩🏽‍💻 late', b: 'Work late' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['flag', '🇳🇴', { a: 'From 🇳🇴 with love', b: 'From 🇸🇪 with love' }, { only: ['a'] }],
  ['heart with and without its selector', '❤️', { a: 'We ❤ boats', b: 'We row boats' }, { only: ['a'] }],
  ['F sharp', 'F#', { a: 'Typed records in F#', b: 'Typed records in C#', c: 'Grade F in records' }, { first: 'a' }],
  [
    '.NET',
    '.NET',
    { a: 'Services in .NET for mail', b: 'A net for fish', c: 'The net result for net sales' },
    { first: 'a' },
  ],
  [
    'node.js',
    'node.js',
    { a: 'Run it in Node.js, please', b: 'A node of the tree. JS is short for it' },
    { first: 'a' },
  ],
  [
    'address',
    'ann@example.org',
    { a: 'Write to Ann@Example.org today', b: 'Ann wrote an example of an org chart' },
    { first: 'a' },
  ],
  ['path', '/etc/hosts', { a: 'Edit /etc/hosts as root', b: 'The hosts came, etc' }, { first: 'a' }],
  ['alternative', 'A/B', { a: 'The A/B test of May', b: 'The B test of a May day' }, { first: 'a' }],
  ['hexadecimal', '0x1F', { a: 'Mask 0x1F is set', b: 'Mask 0x2F is set' }, { first: 'a' }],
  ['snake case by its words', 'check output', { a: 'calls check_output twice', b: 'calls it twice' }, { only: ['a'] }],
  [
    'snake case exactly',
    'check_output',
    {
      a: 'Output is checked: check output, output check',
      b: 'it calls subprocess.check_output(args) in a long line of other words',
    },
    { first: 'b' },
  ],
  ['Pascal case by its words', 'server error', { a: 'throws HTTPServerError', b: 'throws nothing' }, { only: ['a'] }],
  [
    'camel case without its capitals',
    'getusername',
    { a: 'calls getUserName', b: 'gets the name' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'names exclude exactly',
    'language -C++',
    { a: 'The language C++', b: 'The language C#', c: 'The language C' },
    { only: ['b', 'c'] },
  ],
  [
    'a hyphen in a phrase',
    '"state-of-the-art"',
    { a: 'A state-of-the-art pier', b: 'The art of the state of a pier' },
    { only: ['a'] },
  ],
  ['a hyphen before a phrase', '"-bread"', { a: 'Rolls, -bread', b: 'The bread' }, { only: ['a'] }],
  [
    'C is not C++',
    'language -C',
    { a: 'The language C++', b: 'The language C#', c: 'The language C' },
    { only: ['a', 'b'] },
  ],
  [
    'joined word of a hyphened one',
    'wifi',
    { a: 'The Wi-Fi of the pier is slow', b: 'The boat of the pier is slow' },
    { only: ['a'], options: sure },
  ],
  [
    'hyphened word of a joined one',
    'Wi-Fi',
    { a: 'The wifi of the pier is slow', b: 'The boat of the pier is slow' },
    { only: ['a'], options: sure },
  ],
  [
    'German hyphened word of a joined one',
    'E-Mail',
    { a: 'Die Email ist noch nicht da', b: 'Der Brief ist noch nicht da' },
    { only: ['a'], options: sure },
  ],
  ['initials', 'USA', { a: 'Made in the U.S.A.', b: 'Made in France' }, { only: ['a'], options: sure }],
  ['initials with points', 'U.S.A.', { a: 'Made in the USA', b: 'Made in France' }, { only: ['a'], options: sure }],
  ['thousands', '1000', { a: 'It costs 1,000 crowns', b: 'It costs 2,000 crowns' }, { only: ['a'], options: sure }],
  [
    'thousands with a sign',
    '1,000,000',
    { a: 'It costs 1000000 crowns', b: 'It costs 1000 crowns' },
    { first: 'a', options: sure },
  ],
  ['a range is not a number', '1020', { a: 'Pages 10-20', b: 'Pages 30-40' }, { only: [], options: sure }],
  [
    'domain of an address',
    'example.org',
    { a: 'Write to ann@example.org', b: 'Write to ann@other.net' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'host of a link',
    'example.org',
    { a: 'See https://example.org/page', b: 'See https://other.net/page' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  [
    'file of a path',
    'nginx.conf',
    { a: 'Edit /etc/nginx/nginx.conf', b: 'Edit /etc/nginx/mime.types' },
    { first: 'a', options: { min_score: 0.5 } },
  ],
  ['trade mark', 'Ferrino', { a: 'A tent of Ferrino™', b: 'A tent of Marmot™' }, { only: ['a'], options: sure }],
  ['Icelandic þ', 'Thor', { a: 'Þór siglir í dag', b: 'Óðinn siglir í dag' }, { only: ['a'], options: sure }],
  ['Arabic digits', '2024', { a: 'في عام ٢٠٢٤', b: 'في عام ٢٠٢٣' }, { only: ['a'], options: sure }],
  ['Hindi digits', '2024', { a: 'साल २०२४ में', b: 'साल २०२३ में' }, { only: ['a'], options: sure }],
  ['Persian letters', 'کتاب', { a: 'هذا كتاب جديد', b: 'هذا قلم جديد' }, { only: ['a'], options: sure }],
  ['Persian phrase', '"كتاب علي"', { a: 'این کتاب علی است', b: 'علی کتاب دارد' }, { only: ['a'] }],
  [
    'German beginning written out',
    'muench',
    { a: 'Der Zug nach München', b: 'Der Zug nach Hamburg' },
    { only: ['a'], options: open },
  ],
  ['beginning of a name of signs', 'C+', { a: 'Written in C++', b: 'Written in C#' }, { first: 'a', options: open }],
  ['Spanish exclusion in a short text', 'barco -flores', { a: 'Barco con flor', b: 'Barco con pan' }, { only: ['b'] }],
  [
    'Dutch exclusion in a short text',
    'winkel -schoenen',
    { a: 'De winkel verkoopt een rode schoen', b: 'De winkel verkoopt een rode hoed' },
    { only: ['b'] },
  ],
  [
    'Catalan exclusion in a short text',
    'botiga -sabates',
    { a: 'La botiga ven una sabata vermella', b: 'La botiga ven una camisa vermella' },
    { only: ['b'] },
  ],
  [
    'French exclusion in a short text',
    'magasin -chevaux',
    { a: 'Le magasin vend un cheval', b: 'Le magasin vend un chapeau' },
    { only: ['b'] },
  ],
  [
    'Italian exclusion in a short text',
    'negozio -scarpe',
    { a: 'Il negozio vende una scarpa', b: 'Il negozio vende una camicia' },
    { only: ['b'] },
  ],
  [
    'Portuguese exclusion in a short text',
    'loja -sapatos',
    { a: 'Uma loja com um sapato', b: 'Uma loja com um livro' },
    { only: ['b'] },
  ],
]

export const cases: SearchCase[] = table.map(([name, q, texts, expected]) => ({
  ...{ name, q, ...expected },
  units: Object.entries(texts).map(([id, text]) => ({ id, text })),
}))
