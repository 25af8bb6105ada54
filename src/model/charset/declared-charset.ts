const declarations = [
  /<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i,
  /<meta[^>]{0,200}\bcharset\s*=\s*["']?([\w.:-]{1,40})/i,
  /^@charset\s+"([\w.:-]{1,40})"/i,
  /^(?:[^\n]*\n)?[ \t\f]*[#/*;%"-][^\n]{0,100}\bcoding[:=][ \t]*([\w.-]{1,40})/i,
]

/** The encoding that a text names in its first 1,024 bytes: XML, HTML, CSS, and programs with a `coding` comment. */
export function declaredCharset(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  for (const declaration of declarations) {
    const label = declaration.exec(start)?.[1]
    const charset = label === undefined ? null : known(label)
    if (charset !== null) return charset
  }
  return null
}

/** Its name as `TextDecoder` gives it. A file that was not valid UTF-8 or UTF-16 is not made so by its declaration. */
function known(label: string): string | null {
  try {
    const { encoding } = new TextDecoder(label)
    return encoding.startsWith('utf-') ? null : encoding
  } catch {
    return null
  }
}
