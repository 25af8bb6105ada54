import { readXml } from '../xml-tree/parse-xml.ts'

/** The texts that cells point at by number. Readings of Japanese characters (`rPh`) are not part of them. */
export function sharedStrings(bytes: Uint8Array): string[] {
  const strings: string[] = []
  let text = ''
  let isText = false
  let reading = 0
  readXml(bytes, {
    open: (name) => {
      if (name === 'si') text = ''
      if (name === 'rPh') reading++
      isText = name === 't' && reading === 0
    },
    text: (part) => {
      if (isText) text += part
    },
    close: (name) => {
      if (name === 'si') strings.push(text)
      if (name === 'rPh') reading--
      isText = false
    },
  })
  return strings
}
