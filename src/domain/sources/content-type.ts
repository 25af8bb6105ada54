import { findCharset } from '../../model/charset.ts'
import type { ContentType } from '../../ports/catalog.ts'

/** What the uploader says of a file. It decides only between kinds of text, whose bytes look alike. */
export interface Said {
  mime: string | null
  name: string | null
}

/** Enough for every known signature, of containers too. */
const headBytes = 256 * 1024

export interface Inspection {
  take(chunk: Uint8Array): void
  /** After the last chunk. */
  contentType(said: Said): Promise<ContentType>
}

/** Decides what the bytes of a file are while they pass by. */
export function inspect(): Inspection {
  const head: Uint8Array[] = []
  let kept = 0
  const finder = findCharset()
  return {
    take: (chunk) => {
      if (kept < headBytes) {
        head.push(chunk.slice(0, headBytes - kept))
        kept += Math.min(chunk.byteLength, headBytes - kept)
      }
      finder.take(chunk)
    },
    contentType: async (said) => {
      const start = Buffer.concat(head)
      const { fileTypeFromBuffer } = await import('file-type')
      const signature = (await fileTypeFromBuffer(start).catch(() => undefined))?.mime ?? null
      const type = { type: signature ?? 'application/octet-stream', charset: null }
      // Guessing the encoding of one takes 25 MB.
      const charset = writtenInText.has(type.type) ? null : finder.charset()
      if (charset === null) return type
      const text = new TextDecoder(charset).decode(start, { stream: true })
      return isText(text, charset, signature) ? { type: textType(text, said), charset } : type
    },
  }
}

/** Formats that are not text, although each byte of them may be one of a text. */
const writtenInText = new Set(['application/pdf', 'application/postscript', 'application/rtf', 'text/rtf'])

/** Short signatures (BM, MZ) also begin ordinary texts in UTF-8. */
function isText(text: string, charset: string, signature: string | null): boolean {
  if (charset === 'utf-8') return true
  if (signature !== null && !/^text\/|xml$/.test(signature)) return false
  return charset.startsWith('utf-16') || !hasControls.test(text)
}

/** Characters that no text has: other than white space and escapes of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const hasControls = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/

const byExtension: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  rst: 'text/x-rst',
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  ipynb: 'application/x-ipynb+json',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  ldjson: 'application/x-ndjson',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
  eml: 'message/rfc822',
  css: 'text/css',
  js: 'text/javascript',
}

/** Kinds of text that an uploader may name. */
const isTextType = (type: string) =>
  /^text\/|^message\/rfc822$|^application\/(json|x-ndjson|x-subrip|yaml|x-yaml|toml|sql|javascript|xml)$|\+(json|xml|yaml)$/.test(
    type,
  )

function textType(start: string, { mime, name }: Said): string {
  const markup = start.trimStart().replace(/^(<!--[\s\S]*?-->\s*)+/, '')
  if (/^<!doctype\s+html|^<(html|head|body|script)\b/i.test(markup)) return 'text/html'
  const isXml = /^<\?xml\b/i.test(markup)
  const root = /<([A-Za-z][\w:.-]*)/.exec(markup.replace(/<!--[\s\S]*?-->|<[?!][^>]*>/g, ''))?.[1]?.toLowerCase()
  if (/^<(\?xml|!doctype|svg)\b/i.test(markup) && root === 'svg') return 'image/svg+xml'
  if (isXml) return root === 'html' ? 'application/xhtml+xml' : 'application/xml'
  const said = (mime ?? '').replace(/;.*$/s, '').trim().toLowerCase()
  const extension = /\.([a-z0-9]+)$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? ''
  return isTextType(said) ? said : (byExtension[extension] ?? 'text/plain')
}

const isMarkup = (type: string) => /html|xml/.test(type) || type === 'text/xsl'
const inlineTypes = new Set([
  ...['image/png', 'image/apng', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  ...['application/pdf', 'application/ogg'],
])

/** How a browser gets it: as which type, and whether it may show it. Nothing that can run a script is shown. */
export function servedAs({ type, charset }: ContentType): { contentType: string; inline: boolean } {
  if (charset !== null) {
    const isShown = !isMarkup(type)
    return { contentType: `${isShown ? 'text/plain' : type}; charset=${charset}`, inline: isShown }
  }
  return { contentType: type, inline: inlineTypes.has(type) || /^(audio|video)\//.test(type) }
}
