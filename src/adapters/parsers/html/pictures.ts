import type { DefaultTreeAdapterTypes } from 'parse5'
import type { Attachment } from '../../../ports/parser.ts'
import { isLarge } from '../picture/size.ts'
import { descendants } from './nodes.ts'

const address = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i

/** The pictures that a page carries in itself. Smaller ones are icons. */
export function picturesIn(page: DefaultTreeAdapterTypes.Node): Attachment[] {
  const sources = descendants(page).filter(({ tagName }) => tagName === 'img')
  const found = sources.flatMap(({ attrs }) => {
    const { value = '' } = attrs.find(({ name }) => name === 'src') ?? {}
    const type = address.exec(value.slice(0, 40))?.[1]?.toLowerCase()
    const bytes = type ? Buffer.from(value.slice(value.indexOf(',') + 1), 'base64') : null
    const alt = attrs.find(({ name }) => name === 'alt')?.value.trim()
    return type && bytes && isLarge(bytes) ? [{ type, bytes, ...(alt && { alternative: alt }) }] : []
  })
  return found.toArray().map(({ type, ...picture }, i) => ({ name: `picture-${i + 1}.${type}`, ...picture }))
}

/** Addresses of pictures, with what the page shows in their place. */
export const alternativesIn = (page: DefaultTreeAdapterTypes.Node): { source: string; text: string }[] =>
  descendants(page)
    .filter(({ tagName }) => tagName === 'img')
    .map(({ attrs }) => Object.fromEntries(attrs.map(({ name, value }) => [name, value])))
    .flatMap(({ src, alt = '' }) => (src && alt.trim() !== '' ? [{ source: src, text: alt.trim() }] : []))
    .toArray()
