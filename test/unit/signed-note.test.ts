import { describe, expect, it } from 'vitest'
import { formatCheckpoint, parseCheckpoint } from '../../src/model/checkpoint.ts'
import {
  formatVerifier,
  type NoteSigner,
  openNote,
  parseVerifier,
  privateKeyOf,
  signNote,
  verifierOf,
} from '../../src/model/signed-note.ts'

const signer = (name: string, seed: number): NoteSigner => ({ name, privateKey: privateKeyOf(Buffer.alloc(32, seed)) })
const log = signer('svc/audit/acme', 1)
const cosigner = signer('cosigner.example', 2)
const text = formatCheckpoint({ origin: log.name, size: 3, root: Buffer.alloc(32, 7) })
const note = signNote(text, log)

describe('a signed note', () => {
  // The example of golang.org/x/mod/sumdb/note, which defines the format.
  it('of another implementation is opened', () => {
    const key = parseVerifier('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
    const body = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    const signature = 'x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM='
    expect(openNote(`${body}\n\u2014 PeterNeumann ${signature}\n`, key ? [key] : [])).toBe(body)
  })

  it('is opened by who knows the key, in the text form of the key too', () => {
    expect(openNote(note, [verifierOf(log)])).toBe(text)
    const parsed = parseVerifier(formatVerifier(verifierOf(log)))
    expect(openNote(note, parsed ? [parsed] : [])).toBe(text)
  })

  it('may bear signatures of others, and need not be known to all', () => {
    const both = note + signNote(text, cosigner).slice(text.length + 1)
    for (const known of [[log], [cosigner], [log, cosigner]]) expect(openNote(both, known.map(verifierOf))).toBe(text)
    expect(openNote(both, [verifierOf(signer('third.example', 3))])).toBeNull()
  })

  it('is nothing without a signature that is known, or with a false one', () => {
    const known = [verifierOf(log), verifierOf(cosigner)]
    expect(openNote(note, [])).toBeNull()
    expect(openNote(note, [verifierOf(signer(log.name, 3))])).toBeNull()
    expect(openNote(note, [verifierOf(signer('svc/audit/other', 1))])).toBeNull()
    expect(openNote(note.replace('\n3\n', '\n4\n'), known)).toBeNull()
    // A valid signature does not compensate for an invalid signature of a known key.
    const false1 = signNote(`${text}more\n`, cosigner).split('\n\n')[1]
    expect(openNote(note + false1, known)).toBeNull()
    for (const spoilt of ['', text, `${text}\n`, note.slice(0, -1), `${note}\n`, note.replace('\u2014', '-')]) {
      expect(openNote(spoilt, known), JSON.stringify(spoilt)).toBeNull()
    }
  })

  it('has keys whose ids belong to them', () => {
    const key = formatVerifier(verifierOf(log))
    for (const wrong of [
      '',
      'x',
      key.replace('svc', 'svd'),
      key.slice(0, -4),
      key.replace(/\+[0-9a-f]{8}\+/, '+00000000+'),
    ]) {
      expect(parseVerifier(wrong), wrong).toBeNull()
    }
  })
})

describe('a checkpoint', () => {
  it('is three lines, and any more are someone else’s', () => {
    expect(text).toBe('svc/audit/acme\n3\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n')
    expect(parseCheckpoint(`${text}extension\n`)).toEqual({ origin: log.name, size: 3, root: Buffer.alloc(32, 7) })
  })

  it.each([
    '',
    'a\n1\n',
    'a\n01\nBwc=\n',
    `a\n-1\n${text.split('\n')[2]}\n`,
    `\n1\n${text.split('\n')[2]}\n`,
    'a\n1\nBwcH\n',
  ])('is not %j', (other) => {
    expect(parseCheckpoint(other)).toBeNull()
  })
})
