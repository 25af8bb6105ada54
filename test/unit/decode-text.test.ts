import { describe, expect, it } from 'vitest'
import { decodeText } from '../../src/adapters/parsers/open-file.ts'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const latin = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

describe('the encoding of a text', () => {
  it.each([
    ['a BOM', bytes('efbbbf68c3a9'), 'utf-8', 'hé'],
    ['a BOM of UTF-16', bytes('fffe6800e900'), 'utf-16le', 'hé'],
    ['a BOM of UTF-16, the other way', bytes('feff006800e9'), 'utf-16be', 'hé'],
    ['a BOM beside bad bytes', bytes('efbbbf68c3a9ff'), 'utf-8', 'h\u00e9\ufffd'],
    [
      'UTF-8 with a bad byte',
      Buffer.concat([Buffer.from('Größe der Fähre, '), bytes('ff'), Buffer.from(' über')]),
      'utf-8',
      /^Größe der Fähre, \ufffd über$/,
    ],
    ['ASCII with a bad byte', latin('{"name": "Caf\xe9", "ok": true}'), 'windows-1252', /"Café", "ok"/],
    ['ASCII with bad bytes', latin('{"a": "\xe4", "b": "\xdf"}'), 'windows-1252', '{"a": "ä", "b": "ß"}'],
    ['ASCII with a byte of no letter', latin('<a>x\x81y</a>'), 'utf-8', '<a>x\ufffdy</a>'],
    [
      'a letter of UTF-8 beside a bad byte',
      Buffer.concat([Buffer.from('{"ort": "Köln", "x": "'), bytes('fc'), Buffer.from('"}')]),
      'utf-8',
      '{"ort": "Köln", "x": "\ufffd"}',
    ],
    ['UTF-8 that is cut off', Buffer.from('船が港に着く').subarray(0, -1), 'utf-8', '船が港に着\ufffd'],
    ['UTF-8 with marks of earlier damage', Buffer.from('a \ufffd b'), 'utf-8', 'a \ufffd b'],
    [
      'UTF-16 without a BOM',
      Buffer.from('Name\tOrt\nJürgen\tDorf\n', 'utf16le'),
      'utf-16le',
      'Name\tOrt\nJürgen\tDorf\n',
    ],
    ['UTF-16 without a BOM, the other way', Buffer.from('Name\tOrt\n', 'utf16le').swap16(), 'utf-16be', 'Name\tOrt\n'],
    [
      'UTF-16 without a BOM in another script',
      Buffer.from('一二三。四五六七一八九十一\n', 'utf16le'),
      'utf-16le',
      '一二三。四五六七一八九十一\n',
    ],
    ['UTF-16 that is cut off', bytes('6800690061'), 'utf-16le', 'hi\ufffd'],
    ['valid UTF-8', Buffer.from('naïve 日本'), 'utf-8', 'naïve 日本'],
    ['XML', latin('<?xml version="1.0" encoding="ISO-8859-2"?><a>\xb1</a>'), 'iso-8859-2', /<a>ą<\/a>$/],
    ['HTML', latin('<html><meta charset=windows-1251><p>\xef'), 'windows-1251', /<p>п$/],
    ['a program', latin('#!/bin/x\n# -*- coding: koi8-r -*-\n\xc1'), 'koi8-r', /а$/],
    ['a false declaration', latin('<meta charset="utf-8"><p>\xe9t\xe9'), 'windows-1252', /été$/],
    [
      'Western text',
      latin('Le caf\xe9 \xe0 la cr\xe8me co\xfbte cher \x96 l\x92\xe9t\xe9 f\xfbt gai'),
      'windows-1252',
      /café à .* – l’été/,
    ],
    ['Shift_JIS', bytes('8ce182cd944c82c582a082e98142'.repeat(3)), 'shift_jis', /は猫である。/],
    ['EUC-JP', bytes('b8e3a4cfc7ada4c7a4a2a4eba1a3'.repeat(3)), 'euc-jp', /は猫である。/],
    [
      'Shift_JIS with a bad byte',
      bytes(`${'8ce182cd944c82c582a082e98142'.repeat(9)}ff`),
      'shift_jis',
      /は猫である。\ufffd$/,
    ],
    ['windows-1251', bytes('c2f1e520ebfee4e820f0eee6e4e0fef2f1ff'), 'windows-1251', 'Все люди рождаются'],
    ['KOI8-R', bytes('f7d3c520ccc0c4c920d2cfd6c4c1c0d4d3d1'), 'koi8-r', 'Все люди рождаются'],
  ])('is found by %s', (_, given, charset, text) => {
    const decoded = decodeText(given)
    expect(decoded.charset).toBe(charset)
    if (typeof text === 'string') expect(decoded.text).toBe(text)
    else expect(decoded.text).toMatch(text)
    expect(new TextDecoder(decoded.charset).decode(given)).toBe(decoded.text)
  })

  it.each([
    [
      'iso-8859-2',
      'Zażółć gęślą jaźń. Prom odpływa o świcie.',
      '5a61bff3b3e62067eab66cb1206a61bcf12e2050726f6d206f6470b3797761206f20b677696369652e',
    ],
    [
      'windows-1250',
      'Dnes je hezké počasí, můžeme jít ven. Šťastnou cestu!',
      '446e6573206a652068657a6be920706fe86173ed2c206df99e656d65206aed742076656e2e208a9d6173746e6f7520636573747521',
    ],
    [
      'windows-1254',
      'Köprü kapalıdır, şoförler beklesin.',
      '4bf67072fc206b6170616cfd64fd722c20fe6f66f6726c65722062656b6c6573696e2e',
    ],
    ['windows-1254', 'Ad;Şehir\nYağmur;İzmir\n', '41643bde656869720a5961f06d75723bdd7a6d69720a'],
    [
      'windows-1257',
      'Žąsys ir ąžuolai čia auga, keltas išplaukia auštant.',
      'dee073797320697220e0fe756f6c616920e8696120617567612c206b656c7461732069f0706c61756b6961206175f074616e742e',
    ],
    [
      'windows-1252',
      'It’s “fine” – the ferry costs €20.',
      '49749273209366696e659420962074686520666572727920636f737473208032302e',
    ],
    [
      'windows-1252',
      'Nombre;Ciudad\nMuñoz;León\nPeña;Málaga\n',
      '4e6f6d6272653b4369756461640a4d75f16f7a3b4c65f36e0a5065f1613b4de16c6167610a',
    ],
    [
      'windows-1252',
      'Perché no? È già tardi: così è più facile, più là.',
      '5065726368e9206e6f3f20c8206769e02074617264693a20636f73ec20e8207069f920666163696c652c207069f9206ce02e',
    ],
    [
      'windows-1252',
      'Það er gott veður á Íslandi í dag.',
      'de61f020657220676f7474207665f0757220e120cd736c616e646920ed206461672e',
    ],
    [
      'windows-1253',
      'Άνοιξη: ο γερανός είναι κλειστός.',
      'a2edefe9eee73a20ef20e3e5f1e1edfcf220e5dfede1e920eaebe5e9f3f4fcf22e',
    ],
    ['windows-1255', 'המנוף סגור היום.', 'e4eef0e5f320f1e2e5f820e4e9e5ed2e'],
    ['windows-1256', 'الرافعة مغلقة اليوم.', 'c7e1d1c7dddac920e3dbe1dec920c7e1ede6e32e'],
    ['windows-874', 'เรือข้ามฟากออกเดินทาง', 'e0c3d7cda2e9d2c1bfd2a1cdcda1e0b4d4b9b7d2a7'],
    ['ibm866', 'Паром отходит на рассвете.', '8fa0e0aeac20aee2e5aea4a8e220ada020e0a0e1e1a2a5e2a52e'],
    ['koi8-u', 'Її вантаж чекає на причалі.', 'b7a720d7c1ced4c1d620dec5cbc1a420cec120d0d2c9dec1cca62e'],
    [
      'macintosh',
      'Les crémaillères du château où dorment les élèves.',
      '4c65732063728e6d61696c6c8f7265732064752063688974656175206f9d20646f726d656e74206c6573208e6c8f7665732e',
    ],
    [
      'shift_jis',
      '氏名,部署\n佐藤太郎,営業\n髙橋淳,開発\n',
      '8e8196bc2c95948f900a8db293a191be98592c89638bc60aeee08bb48f7e2c8a4a94ad0a',
    ],
    ['gb18030', '渡轮在黎明从北码头出发。', 'b6c9c2d6d4dac0e8c3f7b4d3b1b1c2ebcdb7b3f6b7a2a1a3'],
    ['big5', '渡輪在黎明從北碼頭出發。', 'b4e7bdfca662bea4a9fab171a55fbd58c059a558b56fa143'],
    ['euc-kr', '페리는 새벽에 출발합니다.', 'c6e4b8aeb4c220bbf5baaebfa120c3e2b9dfc7d5b4cfb4d92e'],
    ['iso-2022-jp', '夜明けに出発します。', '1b24424c6b4c402431244b3d50482f2437245e243921231b2842'],
  ])('is found in a short text: %s, %j', (charset, text, hex) => {
    expect(decodeText(bytes(hex))).toEqual({ text, charset })
    // Most lines of a table may be ASCII.
    const table = Buffer.concat([Buffer.from('17;abc\n'.repeat(5_000)), bytes(hex)])
    expect(decodeText(table).text.slice(35_000)).toBe(text)
  })

  it('is none for binary files', () => {
    expect(() => decodeText(bytes('610000006200'))).toThrow('malformed')
    // A start that could be UTF-16, as no text has it: control characters, code points of nobody.
    expect(() => decodeText(bytes('0100020003000400'))).toThrow('malformed')
    expect(() => decodeText(bytes('00e001e002e061006200'))).toThrow('malformed')
  })
})
