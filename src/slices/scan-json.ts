// Finds where values of a JSON text end. It does not check the values: JSON.parse does.

const code = { blank: [0x20, 0x09, 0x0a, 0x0d], quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a }

export type Kind = 'list' | 'object'

const brackets = { list: ['[', ']'], object: ['{', '}'] } as const

export const opening = (kind: Kind): string => brackets[kind][0]
export const closing = (kind: Kind): string => brackets[kind][1]

export function kindAt(bytes: Uint8Array, at: number): Kind | null {
  return bytes[at] === 0x5b ? 'list' : bytes[at] === 0x7b ? 'object' : null
}

export const isComma = (byte: number | undefined) => byte === code.comma
export const isClosing = (byte: number | undefined, kind: Kind) => byte === closing(kind).charCodeAt(0)

export function skipBlanks(bytes: Uint8Array, at: number): number {
  let i = at
  while (i < bytes.length && code.blank.includes(bytes[i] ?? 0)) i++
  return i
}

/** The end of a member, or -1 if it is after `limit`. */
export function endOfMember(bytes: Uint8Array, at: number, kind: Kind, limit: number): number {
  const value = kind === 'list' ? at : valueOfField(bytes, at).value
  return value > limit ? -1 : endOfValue(bytes, value, limit)
}

/** Where a field's key ends, and where its value begins. */
export function valueOfField(bytes: Uint8Array, at: number): { keyEnd: number; value: number } {
  if (bytes[at] !== code.quote) throw new SyntaxError('a field name is missing')
  const keyEnd = endOfString(bytes, at)
  const colon = skipBlanks(bytes, keyEnd)
  if (bytes[colon] !== code.colon) throw new SyntaxError('a colon is missing')
  return { keyEnd, value: skipBlanks(bytes, colon + 1) }
}

export function endOfValue(bytes: Uint8Array, at: number, limit: number): number {
  if (kindAt(bytes, at) !== null) return endOfContainer(bytes, at, limit)
  const end = bytes[at] === code.quote ? endOfString(bytes, at) : endOfLiteral(bytes, at)
  return end > limit ? -1 : end
}

function endOfContainer(bytes: Uint8Array, at: number, limit: number): number {
  let depth = 0
  for (let i = at; i < limit && i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === code.quote) i = endOfString(bytes, i) - 1
    else if (byte === 0x5b || byte === 0x7b) depth++
    else if (byte === 0x5d || byte === 0x7d) {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return -1
}

function endOfString(bytes: Uint8Array, at: number): number {
  for (let end = bytes.indexOf(code.quote, at + 1); end >= 0; end = bytes.indexOf(code.quote, end + 1)) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === code.backslash) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  throw new SyntaxError('a string has no end')
}

function endOfLiteral(bytes: Uint8Array, at: number): number {
  let end = at
  while (end < bytes.length && !isEnd(bytes[end] ?? 0)) end++
  if (end === at) throw new SyntaxError('a value is missing')
  return end
}

const isEnd = (byte: number) => byte === code.comma || byte === 0x5d || byte === 0x7d || code.blank.includes(byte)
