import type { Span } from '../../ports/format.ts'

/** Commands whose first arguments are left out, by their number. */
export const dropped = new Map(
  Object.entries({
    1: 'begin end label ref eqref pageref autoref cref Cref nameref cite citep citet citeauthor parencite textcite nocite includegraphics usepackage documentclass input include bibliography bibliographystyle addbibresource vspace hspace pagestyle thispagestyle pagenumbering href textcolor color colorbox hypersetup graphicspath hyperlink hypertarget bibitem index selectlanguage foreignlanguage cline cmidrule vskip hskip parbox raisebox scalebox usetikzlibrary lstset thanks',
    2: 'DeclareMathOperator setlength addtolength definecolor multicolumn multirow addcontentsline rule setcounter resizebox fontsize newtheorem',
    3: 'newenvironment renewenvironment',
  }).flatMap(([count, names]) => names.split(' ').map((name) => [name, Number(count)])),
)
/** A text `name sign name sign` as pairs. */
const pairs = (text: string) =>
  new Map(Array.from(text.matchAll(/(\S+) (\S+)/g), ([, name = '', sign = '']) => [name, sign]))

export const letters = pairs(
  'ss ß ae æ AE Æ oe œ OE Œ o ø O Ø l ł L Ł aa å AA Å i i j j ldots … dots … textellipsis … textendash – textemdash — ' +
    'euro € texteuro € pounds £ copyright © S § P ¶ LaTeX LaTeX TeX TeX textbackslash \\ textasciitilde ~ textbar |',
)
  .set('quad', ' ')
  .set('qquad', ' ')
export const marks = pairs(
  '` \u0300 \' \u0301 ^ \u0302 ~ \u0303 = \u0304 . \u0307 " \u0308 u \u0306 v \u030c H \u030b c \u0327 k \u0328 r \u030a d \u0323 b \u0331',
)
/** The beginning of a command that the file defines itself, up to the brace before what it stands for. */
const definition =
  /\\(?:(?:new|renew|provide)command\*?\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*(?:\[(\d)\])?\s*(\[[^\]\n]*\])?|g?def\s*\\([A-Za-z@]+)([^{}\n]{0,100}))\s*(?=\{)/g
/** How deep own commands may stand in each other, and how many characters they may stand for in all. */
export const maxOwn = { depth: 10, characters: 1_000_000 }

export interface OwnCommand {
  content: Span
  /** Of its arguments; the first one may be left out. */
  count: number
  isOptional: boolean
}

/** Of those that begin or end an environment or a formula, only the whole text tells where it ends. */
export function ownCommands(text: string, closing: ReadonlyMap<number, number>): Map<string, OwnCommand> {
  const found = new Map<string, OwnCommand>()
  for (const { 0: all, 1: named, 2: count, 3: optional, 4: defined, 5: marks, index } of text.matchAll(definition)) {
    const start = index + all.length
    const end = closing.get(start)
    const body = end === undefined ? '' : text.slice(start, end)
    if (
      end === undefined ||
      /[^#\d\s]/.test(marks ?? '') ||
      /\\(begin|end|item|verb)\b|\\[[\]()]/.test(body) ||
      body.split('$').length % 2 === 0
    )
      continue
    const arity = marks === undefined ? Number(count ?? 0) : marks.split('#').length - 1
    found.set(named ?? defined ?? '', { content: { start: start + 1, end }, count: arity, isOptional: !!optional })
  }
  return found
}

export function endOfDefinition(text: string, at: number, closing: ReadonlyMap<number, number>): number | undefined {
  if (!/^\\(new|renew|provide|def|gdef)/.test(text.slice(at, at + 8))) return undefined
  const own = new RegExp(definition, 'y')
  own.lastIndex = at
  if (!own.test(text)) return undefined
  const end = closing.get(own.lastIndex)
  return end === undefined ? undefined : end + 1
}

/** Of each opening brace, the one that closes it. */
export function closingBraces(text: string): Map<number, number> {
  const closing = new Map<number, number>()
  const open: number[] = []
  for (const { 0: found, index } of text.matchAll(/\\[\s\S]|%[^\n]*|[{}]/g)) {
    if (found === '{') open.push(index)
    const from = found === '}' ? open.pop() : undefined
    if (from !== undefined) closing.set(from, index)
  }
  return closing
}
