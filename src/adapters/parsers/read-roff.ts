import type { OpenFile, Structure } from '../../ports/format.ts'
import { TextBuilder } from './text-builder.ts'

/**
 * A page of a manual in roff, by the macros of man and mdoc, near enough for ms: its text under its headings. Requests,
 * which only set type, and definitions are left out.
 */
export async function readRoff(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const out = new TextBuilder()
  const isMdoc = /^\.Dd\b/m.test(text)
  let lines: string[] = []
  let isFilled = true
  let subject = ''
  const end = (filledNext = isFilled) => {
    const paragraph = lines.join(isFilled ? ' ' : '\n')
    out.add(isFilled ? paragraph.trim() : paragraph.trimEnd(), isFilled ? 'prose' : 'code')
    lines = []
    isFilled = filledNext
  }
  let endOfDefinition: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const [, name = null, rest = ''] = /^[.'][ \t]*([A-Za-z]\w*|\\?["#]|\.|)[ \t]*(.*)$/.exec(line) ?? []
    if (endOfDefinition !== null) {
      if (name === endOfDefinition) endOfDefinition = null
    } else if (name === null) {
      if (line.trim() === '' && isFilled) end()
      else lines.push(shown(line))
    } else if (/^(de|am|ig)/.test(name)) endOfDefinition = rest.split(/\s+/)[name === 'ig' ? 0 : 1] || '.'
    else if (/^(SH|Sh|SS|Ss)$/.test(name)) {
      end(true)
      out.addHeading(/^S[Hh]$/.test(name) ? 1 : 2, argumentsOf(rest).join(' '))
    } else if (name === 'TH' || name === 'Dt') {
      const [title = '', section = ''] = argumentsOf(rest)
      out.enter(0, section === '' ? title : `${title}(${section})`)
    } else if (/^(nf|EX|Bd|fi|EE|Ed)$/.test(name)) end(/^(fi|EE|Ed)$/.test(name))
    else if (breaks.test(name)) {
      end()
      if (name === 'IP') lines.push(argumentsOf(rest)[0] ?? '')
      else if (name === 'It') lines.push(said(name, argumentsOf(rest), isMdoc))
    } else if (/[A-Z]/.test(name) && !silent.test(name)) {
      const words = said(name, argumentsOf(rest), isMdoc)
      // The macro alone repeats the name of what the page is about.
      if (name === 'Nm') subject ||= words
      lines.push(name === 'Nm' && words === '' ? subject : words)
    }
  }
  end()
  return { ...out.structure('text/troff'), charset }
}

/** Requests that begin a paragraph or a line. */
const breaks = /^(PP|P|LP|Pp|IP|TP|TQ|HP|RS|RE|It|Bl|El|br|sp|ti|D1|Dl|TS|TE)$/
/** Macros whose arguments only set type. */
const silent = /^(Dd|Os|UC|AT|DT|PD|Sm|Bk|Ek|Rs|Re|Fo|Fc|Bf|Ef|KS|KE|DS|DE|EQ|EN)$/
/** Macros of mdoc that stand among the words of others. */
const callable = new Set(
  (
    'Ad An Ao Ac Ap Aq Ar At Bc Bo Bq Brc Bro Brq Bsx Bx Cd Cm Dc Do Dq Dv Dx Em En Er Es Ev Fa Fl Fn Fr Ft Fx Ic Li Lk Ms Mt Nm No Ns Nx Oc Oo Op Ot Ox Pa Pc Pf ' +
    'Po Pq Qc Ql Qo Qq Sc So Sq Sx Sy Tn Ux Va Vt Xc Xo Xr'
  ).split(' '),
)

const argumentsOf = (text: string): string[] =>
  Array.from(text.matchAll(/"((?:[^"]|"")*)"?|\S+/g), ([whole, quoted]) => shown(quoted ?? whole)).filter(
    (argument) => argument !== '',
  )

/** What the arguments of a macro say. Two fonts in turn are one word. */
function said(macro: string, words: readonly string[], isMdoc: boolean): string {
  if (/^(B|I|R|S){2}$/.test(macro)) return words.join('')
  if (!isMdoc) return words.join(' ')
  let dashes = macro === 'Fl' ? '-' : macro === 'Nd' ? '- ' : ''
  const found: string[] = []
  for (const word of words) {
    if (word === 'Fl') dashes += '-'
    else if (!callable.has(word)) {
      found.push(dashes + word)
      dashes = ''
    }
  }
  return [...found, dashes]
    .join(' ')
    .replace(/ (?=[,.;:)\]]( |$))/g, '')
    .trimEnd()
}

const named: Readonly<Record<string, string>> = {
  ...{ em: '\u2014', en: '\u2013', hy: '-', bu: '\u2022', co: '\u00a9', rg: '\u00ae', aq: "'", dq: '"', lq: '\u201c' },
  ...{ rq: '\u201d', oq: '\u2018', cq: '\u2019', ga: '`', ha: '^', ti: '~', rs: '\\', at: '@', sh: '#', la: '\u27e8' },
  ...{ ra: '\u27e9', ss: '\u00df', ':a': '\u00e4', ':o': '\u00f6', ':u': '\u00fc', "'e": '\u00e9', '`e': '\u00e8' },
}

const escapes =
  /\\(?:[fsmMFgkVYn*][-+]?(?:\(..|\[[^\]]*\]|\d|.)|[hvwlLDobXZSHNRxA]'[^']*'|\((..)|\[([^\]]*)\]|(["#].*)|(.))/g

/** A line without what only sets type: fonts, sizes, moves, comments. */
const shown = (line: string): string =>
  line.replace(escapes, (_, two?: string, long?: string, comment?: string, one = '') => {
    const name = two ?? long
    if (name !== undefined) return named[name] ?? ''
    if (comment !== undefined) return ''
    if (one === 'e' || one === '\\') return '\\'
    if (one === ' ' || one === '~' || one === '0') return ' '
    return /[-.'`_]/.test(one) ? one : ''
  })
