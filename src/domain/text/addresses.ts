const trailing = /[.,;:!?]+$/u
/** With a scheme, `www.`, or `@`, and bare hosts: `example.org/path`. Not `e.g.`, `3.5` and the like. */
const addresses =
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|(?<![\p{L}\p{N}._-])(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])(?:[:/?#][^\s<>()[\]"'`]*)?/giu

/** Addresses, as a reader's client would make links or load images of them; in lower case. */
export const addressesIn = (text: string): string[] =>
  (text.match(addresses) ?? []).map((address) => address.replace(trailing, '').toLowerCase())
