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
    return type && bytes && isLarge(bytes) ? [{ type, bytes }] : []
  })
  return found.toArray().map(({ type, bytes }, i) => ({ name: `picture-${i + 1}.${type}`, bytes }))
}
