const trailing = /[.,;:!?]+$/u
/** Addresses with a scheme, `www.` or `@`, and bare hosts: `example.org/path`. Not `e.g.`, `3.5` and similar. */
const addresses =
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|(?<![\p{L}\p{N}._-])(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])(?:[:/?#][^\s<>()[\]"'`]*)?/giu

/** Addresses that a reader's client could turn into links or load as images; in lower case. */
export const addressesIn = (text: string): string[] =>
  (text.match(addresses) ?? []).map((address) => address.replace(trailing, '').toLowerCase())
