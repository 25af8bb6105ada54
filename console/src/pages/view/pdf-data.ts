const files: Record<string, string> = import.meta.glob(
  [
    '../../../../node_modules/pdfjs-dist/cmaps/*.bcmap',
    '../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}',
  ],
  { query: '?url', import: 'default', eager: true },
)
const urls = new Map(Object.entries(files).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]))

/** Brings pdf.js the fonts and character maps that a PDF expects of every reader, from the assets of this build. */
export class PdfData {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = urls.get(filename)
    const response = url === undefined ? null : await fetch(url)
    if (!response?.ok) throw new Error(`${filename} cannot be loaded`)
    return response.bytes()
  }
}
