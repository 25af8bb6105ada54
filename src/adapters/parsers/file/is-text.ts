/** Whether a file's first bytes can be text: no NUL, hardly a control character. UTF-16 needs its BOM. */
export function isText(head: Uint8Array): boolean {
  const [a, b] = head
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true
  let controls = 0
  for (const byte of head) {
    if (byte === 0) return false
    if (isControl(byte)) controls++
  }
  return controls <= head.length / 50
}

/** Tab, line feed, form feed, carriage return and escape occur in texts. */
const isControl = (byte: number) =>
  (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) || byte === 127
