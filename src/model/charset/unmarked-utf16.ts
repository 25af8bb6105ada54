import { isControl } from './is-control.ts'

/** Beyond this share of characters that no text has, bytes are something else: of random ones it is a sixth. */
const maxStrange = 1 / 50

/**
 * UTF-16 without a BOM, by its zeros: a Latin letter, a blank or a line break has one in its higher byte. Null where
 * neither order of bytes makes a text.
 */
export function unmarkedUtf16(start: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let [even, odd] = [0, 0]
  start.forEach((byte, i) => {
    if (byte !== 0) return
    if (i % 2 === 0) even++
    else odd++
  })
  if (even + odd === 0) return null
  const orders = even > odd ? (['utf-16be', 'utf-16le'] as const) : (['utf-16le', 'utf-16be'] as const)
  // A few zeros may be lower bytes: of the ideograph for one, U+4E00. Many are not.
  const possible = Math.max(even, odd) > start.length / 8 ? orders.slice(0, 1) : orders
  return possible.find((charset) => isText(new TextDecoder(charset).decode(start, { stream: true }))) ?? null
}

function isText(text: string): boolean {
  let strange = 0
  for (const character of text) {
    if (character === '\0') return false
    if (isControl(character.charCodeAt(0)) || /[\p{Cn}\p{Co}\p{Cs}\ufffd]/u.test(character)) strange++
  }
  return strange <= text.length * maxStrange
}
