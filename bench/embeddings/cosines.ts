import type { Inference } from '../../src/ports/models/inference.ts'

/**
 * What the cosines of a model say, for its model.json: `floor`, `floor_across` and `languages`. Measured on eight questions and
 * their answers in each of fifteen languages, which share few words, so that a model of letters cannot tell them apart.
 */
export async function measureCosines({ embed }: Pick<Inference, 'embed'>) {
  const [queries, texts] = await Promise.all(
    (['query', 'passage'] as const).map(async (kind, side) => {
      const pairs = Object.values(pairsByLanguage).flat()
      const vectors = await embed(
        'text',
        pairs.map((pair) => pair[side] ?? ''),
        kind,
      )
      return Object.keys(pairsByLanguage).map((language, i) => ({ language, vectors: vectors.slice(8 * i, 8 * i + 8) }))
    }),
  )
  const measured = (queries ?? []).map(({ language, vectors }, i) => ({
    language,
    same: compare(vectors, texts?.[i]?.vectors ?? []),
    english: compare(vectors, texts?.[0]?.vectors ?? []),
  }))
  const understood = measured.filter(({ same }) => (same.related - same.mean) / same.deviation >= minDistance)
  const floorOf = (of: Compared) => of.mean + aboveMean * of.deviation
  const others = understood.filter(({ language }) => language !== 'en')
  return {
    floor: median(understood.map(({ same }) => floorOf(same))),
    ...(others.length > 0 && { floor_across: Math.min(...others.map(({ english }) => floorOf(english))) }),
    // Most models of many languages know more than these fifteen.
    ...(2 * understood.length < measured.length && { languages: understood.map(({ language }) => language) }),
    measured,
  }
}

/** A language is understood if what is related is this many standard deviations above what is not. */
const minDistance = 2
/** Of normally distributed cosines one in a hundred is further above the mean. */
const aboveMean = 2.33

interface Compared {
  /** The mean cosine of a question and its answer. */
  related: number
  /** Of the cosines of a question and another answer. */
  mean: number
  deviation: number
}

type Vectors = readonly (Float32Array | null)[]

function compare(queries: Vectors, texts: Vectors): Compared {
  const cosine = (i: number, j: number) =>
    (queries[i] ?? new Float32Array(0)).reduce((sum, value, at) => sum + value * (texts[j]?.[at] ?? 0), 0)
  const places = [...queries.keys()]
  const others = places.flatMap((i) => places.filter((j) => j !== i).map((j) => cosine(i, j)))
  const mean = meanOf(others)
  const deviation = Math.sqrt(meanOf(others.map((value) => (value - mean) ** 2)))
  return { related: meanOf(places.map((i) => cosine(i, i))), mean, deviation }
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const pairsByLanguage: Record<string, readonly (readonly [question: string, answer: string])[]> = {
  en: [
    ['When was the bridge built?', 'The crossing over the river was completed in 1932 after four years of work.'],
    ['How do I get my money back?', "Refunds are paid to the customer's account within fourteen days."],
    ['What helps against a headache?', 'Aspirin and rest usually relieve pain in the head.'],
    ['Where can visitors park their cars?', 'The garage for guests is behind the main building.'],
    ['Which animals live in the desert?', 'Camels, snakes and scorpions survive in dry, sandy regions.'],
    ['Who won the football match?', 'The home team beat its opponents by two goals on Sunday.'],
    ['How is bread made?', 'Flour, water and yeast are kneaded and baked in the oven.'],
    ['What will the weather be like tomorrow?', 'In the morning there will be rain and strong wind.'],
  ],
  de: [
    ['Wann wurde die Brücke gebaut?', 'Der Übergang über den Fluss war 1932 nach vier Jahren Arbeit fertig.'],
    ['Wie bekomme ich mein Geld zurück?', 'Erstattungen gehen binnen vierzehn Tagen auf das Konto des Kunden.'],
    ['Was hilft gegen Kopfschmerzen?', 'Aspirin und Ruhe lindern meist das Leiden im Kopf.'],
    ['Wo können Besucher ihre Autos parken?', 'Die Garage für Gäste liegt hinter dem Hauptgebäude.'],
    ['Welche Tiere leben in der Wüste?', 'Kamele, Schlangen und Skorpione überleben in trockenen, sandigen Gegenden.'],
    [
      'Wer hat das Fußballspiel gewonnen?',
      'Die Heimmannschaft schlug ihre Gegner am Sonntag mit zwei Toren Vorsprung.',
    ],
    ['Wie wird Brot gemacht?', 'Mehl, Wasser und Hefe werden geknetet und im Ofen gebacken.'],
    ['Wie wird das Wetter morgen?', 'In der Frühe ist mit Regen und starkem Wind zu rechnen.'],
  ],
  fr: [
    [
      'Quand le pont a-t-il été construit ?',
      'Le passage au-dessus du fleuve fut achevé en 1932 après quatre ans de travaux.',
    ],
    ['Comment récupérer mon argent ?', 'Les remboursements sont versés sur le compte du client sous quatorze jours.'],
    ['Que faire contre le mal de tête ?', "L'aspirine et le repos soulagent en général les douleurs du crâne."],
    [
      'Où les visiteurs peuvent-ils garer leur voiture ?',
      'Le parking des invités se trouve derrière le bâtiment principal.',
    ],
    [
      'Quels animaux vivent dans le désert ?',
      'Chameaux, serpents et scorpions survivent dans les régions sèches et sablonneuses.',
    ],
    ['Qui a gagné le match de football ?', "L'équipe locale a battu ses adversaires de deux buts dimanche."],
    ['Comment fait-on le pain ?', "La farine, l'eau et la levure sont pétries puis cuites au four."],
    ['Quel temps fera-t-il demain ?', 'Dans la matinée, on attend de la pluie et un vent fort.'],
  ],
  es: [
    ['¿Cuándo se construyó el puente?', 'El paso sobre el río se terminó en 1932 tras cuatro años de obras.'],
    ['¿Cómo recupero mi dinero?', 'Los reembolsos se abonan en la cuenta del cliente en catorce días.'],
    ['¿Qué ayuda contra el dolor de cabeza?', 'La aspirina y el descanso suelen aliviar las jaquecas.'],
    ['¿Dónde pueden aparcar los visitantes?', 'El garaje para invitados está detrás del edificio principal.'],
    [
      '¿Qué animales viven en el desierto?',
      'Camellos, serpientes y escorpiones sobreviven en regiones secas y arenosas.',
    ],
    ['¿Quién ganó el partido de fútbol?', 'El equipo local venció a sus rivales por dos goles el domingo.'],
    ['¿Cómo se hace el pan?', 'La harina, el agua y la levadura se amasan y se cuecen en el horno.'],
    ['¿Qué tiempo hará mañana?', 'Por la mañana habrá lluvia y viento fuerte.'],
  ],
  it: [
    ['Quando fu costruito il ponte?', 'Il passaggio sul fiume fu terminato nel 1932 dopo quattro anni di lavori.'],
    ['Come riavere i miei soldi?', 'I rimborsi vengono versati sul conto del cliente entro quattordici giorni.'],
    ['Che cosa aiuta contro il mal di testa?', "L'aspirina e il riposo di solito alleviano i dolori al capo."],
    ['Dove possono parcheggiare i visitatori?', "Il garage per gli ospiti si trova dietro l'edificio principale."],
    ['Quali animali vivono nel deserto?', 'Cammelli, serpenti e scorpioni sopravvivono in regioni secche e sabbiose.'],
    ['Chi ha vinto la partita di calcio?', 'La squadra di casa ha battuto gli avversari per due reti domenica.'],
    ['Come si fa il pane?', 'Farina, acqua e lievito si impastano e si cuociono in forno.'],
    ['Che tempo farà domani?', 'Al mattino sono previsti pioggia e vento forte.'],
  ],
  pt: [
    ['Quando foi construída a ponte?', 'A travessia sobre o rio ficou pronta em 1932, após quatro anos de obras.'],
    ['Como recebo o meu dinheiro de volta?', 'Os reembolsos são pagos na conta do cliente em catorze dias.'],
    ['O que ajuda contra a dor de cabeça?', 'A aspirina e o repouso costumam aliviar a enxaqueca.'],
    ['Onde os visitantes podem estacionar?', 'A garagem para convidados fica atrás do edifício principal.'],
    ['Que animais vivem no deserto?', 'Camelos, cobras e escorpiões sobrevivem em regiões secas e arenosas.'],
    ['Quem ganhou o jogo de futebol?', 'A equipa da casa venceu os adversários por dois golos no domingo.'],
    ['Como se faz o pão?', 'Farinha, água e fermento são amassados e cozidos no forno.'],
    ['Como estará o tempo amanhã?', 'De manhã haverá chuva e vento forte.'],
  ],
  nl: [
    ['Wanneer is de brug gebouwd?', 'De oversteek over de rivier was in 1932 klaar, na vier jaar werk.'],
    ['Hoe krijg ik mijn geld terug?', 'Terugbetalingen staan binnen veertien dagen op de rekening van de klant.'],
    ['Wat helpt tegen hoofdpijn?', 'Aspirine en rust verlichten meestal de klachten aan het hoofd.'],
    ['Waar kunnen bezoekers hun auto parkeren?', 'De garage voor gasten ligt achter het hoofdgebouw.'],
    ['Welke dieren leven in de woestijn?', 'Kamelen, slangen en schorpioenen overleven in droge zandige streken.'],
    [
      'Wie heeft de voetbalwedstrijd gewonnen?',
      'De thuisploeg versloeg haar tegenstanders zondag met twee doelpunten verschil.',
    ],
    ['Hoe wordt brood gemaakt?', 'Meel, water en gist worden gekneed en in de oven gebakken.'],
    ['Wat voor weer wordt het morgen?', 'In de ochtend valt er regen en staat er harde wind.'],
  ],
  pl: [
    ['Kiedy zbudowano most?', 'Przeprawę przez rzekę ukończono w 1932 roku po czterech latach pracy.'],
    ['Jak odzyskać pieniądze?', 'Zwroty trafiają na konto klienta w ciągu czternastu dni.'],
    ['Co pomaga na ból głowy?', 'Aspiryna i odpoczynek zwykle łagodzą migrenę.'],
    ['Gdzie goście mogą zaparkować samochód?', 'Garaż dla odwiedzających znajduje się za głównym budynkiem.'],
    ['Jakie zwierzęta żyją na pustyni?', 'Wielbłądy, węże i skorpiony przeżywają w suchych, piaszczystych okolicach.'],
    ['Kto wygrał mecz piłki nożnej?', 'Gospodarze pokonali w niedzielę rywali dwiema bramkami.'],
    ['Jak się robi chleb?', 'Mąkę, wodę i drożdże zagniata się i piecze w piekarniku.'],
    ['Jaka będzie jutro pogoda?', 'Rano spodziewany jest deszcz i silny wiatr.'],
  ],
  ru: [
    ['Когда был построен мост?', 'Переправа через реку была закончена в 1932 году после четырёх лет работ.'],
    ['Как мне вернуть деньги?', 'Возврат средств поступает на счёт клиента в течение четырнадцати дней.'],
    ['Что помогает от головной боли?', 'Аспирин и отдых обычно снимают мигрень.'],
    ['Где посетители могут оставить машину?', 'Гараж для гостей находится за главным зданием.'],
    ['Какие животные живут в пустыне?', 'Верблюды, змеи и скорпионы выживают в сухих песчаных краях.'],
    ['Кто выиграл футбольный матч?', 'Хозяева поля победили соперников в воскресенье с разницей в два гола.'],
    ['Как делают хлеб?', 'Муку, воду и дрожжи замешивают и выпекают в печи.'],
    ['Какая завтра будет погода?', 'Утром ожидаются дождь и сильный ветер.'],
  ],
  tr: [
    ['Köprü ne zaman yapıldı?', "Nehrin üzerindeki geçit dört yıllık çalışmadan sonra 1932'de tamamlandı."],
    ['Paramı nasıl geri alırım?', 'İadeler on dört gün içinde müşterinin hesabına yatırılır.'],
    ['Baş ağrısına ne iyi gelir?', 'Aspirin ve dinlenme genellikle migreni hafifletir.'],
    ['Ziyaretçiler arabalarını nereye bırakabilir?', 'Konuklar için otopark ana binanın arkasındadır.'],
    ['Çölde hangi hayvanlar yaşar?', 'Develer, yılanlar ve akrepler kurak, kumlu bölgelerde hayatta kalır.'],
    ['Futbol maçını kim kazandı?', 'Ev sahibi takım pazar günü rakibini iki golle yendi.'],
    ['Ekmek nasıl yapılır?', 'Un, su ve maya yoğrulur ve fırında pişirilir.'],
    ['Yarın hava nasıl olacak?', 'Sabah yağmur ve kuvvetli rüzgâr bekleniyor.'],
  ],
  ar: [
    ['متى بُني الجسر؟', 'اكتمل المعبر فوق النهر عام 1932 بعد أربع سنوات من العمل.'],
    ['كيف أسترد مالي؟', 'تُدفع المبالغ المستردة إلى حساب الزبون خلال أربعة عشر يومًا.'],
    ['ما الذي يساعد على علاج الصداع؟', 'الأسبرين والراحة يخففان عادة آلام الرأس.'],
    ['أين يمكن للزوار ركن سياراتهم؟', 'مرآب الضيوف يقع خلف المبنى الرئيسي.'],
    ['أي الحيوانات تعيش في الصحراء؟', 'الجمال والأفاعي والعقارب تبقى حية في المناطق الجافة الرملية.'],
    ['من فاز بمباراة كرة القدم؟', 'هزم الفريق المضيف خصومه بهدفين يوم الأحد.'],
    ['كيف يُصنع الخبز؟', 'يُعجن الدقيق والماء والخميرة ثم تُخبز في الفرن.'],
    ['كيف سيكون الطقس غدًا؟', 'من المتوقع هطول المطر وهبوب رياح قوية في الصباح.'],
  ],
  hi: [
    ['पुल कब बनाया गया था?', 'नदी के ऊपर का रास्ता चार साल के काम के बाद 1932 में पूरा हुआ।'],
    ['मुझे अपना पैसा वापस कैसे मिलेगा?', 'धनवापसी चौदह दिनों के भीतर ग्राहक के खाते में कर दी जाती है।'],
    ['सिरदर्द में क्या मदद करता है?', 'एस्पिरिन और आराम से आमतौर पर माथे की पीड़ा कम होती है।'],
    ['आगंतुक अपनी कार कहाँ खड़ी कर सकते हैं?', 'मेहमानों के लिए गैराज मुख्य भवन के पीछे है।'],
    ['रेगिस्तान में कौन से जानवर रहते हैं?', 'ऊँट, साँप और बिच्छू सूखे रेतीले इलाकों में जीवित रहते हैं।'],
    ['फुटबॉल मैच किसने जीता?', 'मेजबान टीम ने रविवार को विरोधियों को दो गोल से हराया।'],
    ['रोटी कैसे बनती है?', 'आटा, पानी और खमीर गूँधकर भट्ठी में पकाए जाते हैं।'],
    ['कल मौसम कैसा रहेगा?', 'सुबह बारिश और तेज़ हवा की संभावना है।'],
  ],
  zh: [
    ['这座桥是什么时候建的？', '经过四年施工，跨河通道于1932年完工。'],
    ['我怎样拿回我的钱？', '退款将在十四天内打入客户的账户。'],
    ['什么可以缓解头疼？', '阿司匹林和休息通常能减轻头部疼痛。'],
    ['访客可以把车停在哪里？', '来宾车库位于主楼后面。'],
    ['哪些动物生活在沙漠里？', '骆驼、蛇和蝎子能在干旱多沙的地区生存。'],
    ['谁赢了足球比赛？', '主队星期天以两球优势击败了对手。'],
    ['面包是怎么做的？', '面粉、水和酵母揉好后放进烤箱烘烤。'],
    ['明天天气怎么样？', '早上会有雨和大风。'],
  ],
  ja: [
    ['橋はいつ建てられましたか。', '川を渡る道は四年の工事を経て1932年に完成した。'],
    ['お金を返してもらうにはどうすればいいですか。', '返金は十四日以内にお客様の口座に振り込まれます。'],
    ['頭痛には何が効きますか。', 'アスピリンと休息はたいてい頭の痛みを和らげる。'],
    ['来客はどこに車を停められますか。', 'ゲスト用のガレージは本館の裏にあります。'],
    ['砂漠にはどんな動物がいますか。', 'ラクダ、ヘビ、サソリは乾いた砂地で生き延びる。'],
    ['サッカーの試合はどちらが勝ちましたか。', '日曜日、ホームチームが相手を二点差で破った。'],
    ['パンはどうやって作りますか。', '小麦粉と水と酵母をこねて、オーブンで焼く。'],
    ['明日の天気はどうですか。', '午前中は雨と強い風になる見込みです。'],
  ],
  ko: [
    ['다리는 언제 지어졌나요?', '강을 건너는 통로는 사 년의 공사 끝에 1932년에 완공되었다.'],
    ['돈을 어떻게 돌려받나요?', '환불금은 십사 일 안에 고객 계좌로 입금됩니다.'],
    ['두통에는 무엇이 좋은가요?', '아스피린과 휴식은 보통 머리의 통증을 덜어 준다.'],
    ['방문객은 차를 어디에 세울 수 있나요?', '손님용 주차장은 본관 뒤에 있습니다.'],
    ['사막에는 어떤 동물이 사나요?', '낙타와 뱀과 전갈은 건조한 모래 지역에서 살아남는다.'],
    ['축구 경기는 누가 이겼나요?', '일요일에 홈팀이 상대를 두 골 차로 이겼다.'],
    ['빵은 어떻게 만드나요?', '밀가루와 물과 효모를 반죽해 오븐에 굽는다.'],
    ['내일 날씨는 어떤가요?', '오전에는 비가 오고 바람이 강하게 불겠습니다.'],
  ],
}
