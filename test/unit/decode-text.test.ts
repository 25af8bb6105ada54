import { describe, expect, it } from 'vitest'
import { decodeText } from '../../src/adapters/parsers/decode-text.ts'

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

  it('is none for binary files', () => {
    expect(() => decodeText(bytes('610000006200'))).toThrow('malformed')
    // A start that could be UTF-16, as no text has it: control characters, code points of nobody.
    expect(() => decodeText(bytes('0100020003000400'))).toThrow('malformed')
    expect(() => decodeText(bytes('00e001e002e061006200'))).toThrow('malformed')
  })
})
