/** A picture in the search box. */
export interface QueryPicture {
  base64: string
  /** Shows it; `URL.revokeObjectURL` ends it. */
  url: string
  name: string
}

/** Models look at fewer pixels. */
const maxSide = 1024
const maxBytes = 2 ** 20

/** Null for a file that this browser cannot show. */
export async function readQueryPicture(file: File): Promise<QueryPicture | null> {
  const bitmap = await createImageBitmap(file).catch(() => null)
  if (bitmap === null) return null
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height))
  const isFit = scale === 1 && file.size <= maxBytes && /^image\/(png|jpeg|gif|webp)$/.test(file.type)
  const blob = isFit ? file : await scaled(bitmap, scale)
  bitmap.close()
  return { base64: await base64Of(blob), url: URL.createObjectURL(blob), name: file.name }
}

function scaled(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  const canvas = new OffscreenCanvas(side(bitmap.width), side(bitmap.height))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas.convertToBlob({ type: 'image/png' })
}

/** A data URL has the base64 behind its comma. */
const base64Of = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })

/** The first picture among what is pasted or dropped. */
export const pictureIn = (files: FileList): File | undefined => [...files].find(({ type }) => type.startsWith('image/'))
