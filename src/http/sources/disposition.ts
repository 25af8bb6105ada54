/** The header Content-Disposition (RFC 6266): a name in ASCII for every client, and the name itself (RFC 8187). */
export function disposition(inline: boolean, path: string): string {
  const name = (path.split(/[/\\]/).at(-1) ?? '').replace(/\p{Cc}/gu, '').trim() || 'source'
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_')
  const kind = inline ? 'inline' : 'attachment'
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encoded(name.toWellFormed())}`
  return `${kind}; filename="${ascii}"${extended}`
}

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
