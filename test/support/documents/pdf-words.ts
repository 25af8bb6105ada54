import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

const cMapUrl = new URL('../../../node_modules/pdfjs-dist/cmaps/', import.meta.url).pathname

/** A piece of text as the file places it: fractions of the page, the middle of its line of writing. */
export interface PlacedWord {
  word: string
  left: number
  right: number
  middle: number
}

/** The words of each page of a PDF with their places, by the file alone. */
export async function placedWords(pdf: Uint8Array): Promise<PlacedWord[][]> {
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0, cMapUrl }).promise
  const pages: PlacedWord[][] = []
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { width, height } = page.getViewport({ scale: 1 })
    const items = (await page.getTextContent()).items.filter((item) => 'str' in item)
    pages.push(
      items.flatMap((item) => {
        const [a = 1, b = 0, , , x = 0, y = 0] = item.transform as number[]
        const isLevel = Math.abs(a) >= Math.abs(b)
        const place = {
          left: (isLevel ? x : x - item.height / 2) / width,
          right: (isLevel ? x + item.width : x) / width,
          middle: 1 - (isLevel ? y + item.height * 0.3 : y + (Math.sign(b) * item.width) / 2) / height,
        }
        return words(item.str).map((word) => ({ word, ...place }))
      }),
    )
  }
  await document.loadingTask.destroy()
  return pages
}

export const words = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** The share of the wanted words that the text has, each as often as it is wanted. */
export function recall(text: readonly string[], wanted: readonly string[]): number {
  return found(text, wanted) / wanted.length
}

function found(text: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of text) left.set(word, (left.get(word) ?? 0) + 1)
  return wanted.filter((word) => {
    const times = left.get(word) ?? 0
    left.set(word, times - 1)
    return times > 0
  }).length
}

/** The longest common subsequence of both, as a share of the wanted words that the text has. */
export function order(text: readonly string[], wanted: readonly string[]): number {
  let row = new Uint32Array(text.length + 1)
  for (const word of wanted) {
    const next = new Uint32Array(text.length + 1)
    text.forEach((other, i) => {
      next[i + 1] = word === other ? (row[i] ?? 0) + 1 : Math.max(row[i + 1] ?? 0, next[i] ?? 0)
    })
    row = next
  }
  return (row[text.length] ?? 0) / found(text, wanted)
}
