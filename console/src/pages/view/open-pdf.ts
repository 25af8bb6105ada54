import { GlobalWorkerOptions, getDocument, type PDFDocumentLoadingTask } from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { PdfData } from './pdf-data.ts'

GlobalWorkerOptions.workerSrc = workerUrl

/** Opens a PDF. `isWhole: false` loads only what the pages need that are drawn. */
export const openPdf = (url: string, { isWhole }: { isWhole: boolean }): PDFDocumentLoadingTask =>
  getDocument({
    url,
    disableStream: !isWhole,
    disableAutoFetch: !isWhole,
    // The policy of the page forbids WebAssembly.
    useWasm: false,
    enableXfa: false,
    BinaryDataFactory: PdfData,
    useWorkerFetch: false,
    // A page looks the same on every machine.
    useSystemFonts: false,
  })
