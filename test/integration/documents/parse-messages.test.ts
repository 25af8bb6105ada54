import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePng } from '../../support/documents/make-png.ts'
import { makeZip } from '../../support/documents/make-zip.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

describe('parsing messages, books and notebooks', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  const part = (type: string, name: string, content: Uint8Array) =>
    `--b\r\nContent-Type: ${type}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\n` +
    `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}\r\n`

  it('reads a message, its attachments apart', async () => {
    const message =
      'From: Ann <ann@example.com>\r\nTo: bob@example.com\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\nMIME-Version: 1.0\r\n' +
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>See the <b>menu</b>.</p>\r\n' +
      part('text/plain', 'menu.txt', Buffer.from('Soup')) +
      part('image/png', 'pixel.png', makePng(1, 1)) +
      part('image/png', 'photo.png', makePng(80, 80)) +
      '--b--\r\n'
    const { text, units, attachments, mime } = await parser.parseBytes('a.eml', message)
    expect(mime).toBe('message/rfc822')
    expect(text).toBe('Café\n\nFrom: Ann <ann@example.com>\nTo: <bob@example.com>\n\nSee the menu.')
    expect(units.map(({ title }) => title)).toEqual(['Café'])
    expect(attachments.map(({ name }) => name)).toEqual(['menu.txt', 'photo.png'])
    expect(Buffer.from(attachments.at(0)?.bytes ?? []).toString()).toBe('Soup')
  })

  it('reads the chapters of a book in their order', async () => {
    const chapter = (title: string, text: string) => `<html><body><h1>${title}</h1><p>${text}</p></body></html>`
    const book = makeZip({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
      'OPS/book.opf':
        '<package><manifest><item id="a" href="a.xhtml"/><item id="b" href="text/b%20c.xhtml"/>' +
        '<item id="c" href="cover.png" media-type="image/png"/></manifest>' +
        '<spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
      'OPS/a.xhtml': chapter('Second', 'It ends.'),
      'OPS/text/b c.xhtml': chapter('First', 'It begins.'),
      'OPS/cover.png': makePng(64, 90),
    })
    const { text, units, attachments } = await parser.parseBytes('a.epub', book)
    expect(text).toBe('First\n\nIt begins.\n\nSecond\n\nIt ends.')
    expect(units.map((unit) => [unit.title, unit.text])).toEqual([
      ['First', 'It begins.'],
      ['Second', 'It ends.'],
    ])
    expect(attachments.map(({ name }) => name)).toEqual(['cover.png'])
  })

  it('reads the cells of a notebook and what they printed', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Plan\n', 'We add.'] },
      {
        cell_type: 'code',
        source: '# not a heading\n1 + 1',
        outputs: [{ data: { 'text/plain': ['2'], 'image/png': makePng(70, 70).toString('base64') } }],
      },
    ]
    const { text, units, attachments } = await parser.parseBytes('a.ipynb', JSON.stringify({ cells, nbformat: 4 }))
    expect(text).toBe('Plan\n\nWe add.\n\n# not a heading\n1 + 1\n\n2')
    expect(new Set(units.map(({ title }) => title))).toEqual(new Set(['Plan']))
    expect(attachments.map(({ name }) => name)).toEqual(['picture-1.png'])
  })

  it.each([
    ['a.eml', 'just some words'],
    ['a.ipynb', '{"cells": 3}'],
    ['a.ipynb', 'not JSON'],
    ['a.epub', makeZip({ 'META-INF/container.xml': '<container/>' })],
  ])('%s that is not one is malformed', async (name, content) => {
    await expect(parser.parseBytes(name, content)).rejects.toMatchObject({ reason: 'malformed' })
  })
})
