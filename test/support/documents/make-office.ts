import { makeZip, type ZipOptions } from './make-zip.ts'

type Files = Record<string, string | Uint8Array>

const namespaces =
  'xmlns:w="urn:w" xmlns:r="urn:r" xmlns:a="urn:a" xmlns:p="urn:p" xmlns:m="urn:m" xmlns:mc="urn:mc" xmlns:wps="urn:wps"'

/** Relationships by id: the type, then the target. */
export const relations = (targets: Record<string, readonly [string, string]>): string =>
  `<Relationships>${Object.entries(targets)
    .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

const start = (main: string) => ({
  '[Content_Types].xml': '<Types/>',
  '_rels/.rels': relations({ r1: ['officeDocument', main] }),
})

export const makeDocx = (body: string, more: Files = {}, options?: ZipOptions): Buffer =>
  makeZip(
    {
      ...start('word/document.xml'),
      'word/document.xml': `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
      ...more,
    },
    options,
  )

/** Each sheet by its name, as XML of its rows. */
export const makeXlsx = (sheets: Record<string, string>, more: Files = {}): Buffer => {
  const names = Object.keys(sheets)
  const targets = names.map((_, i) => [`r${i}`, ['worksheet', `sheet${i}.xml`]] as const)
  return makeZip({
    ...start('xl/workbook.xml'),
    'xl/workbook.xml': `<workbook><sheets>${names.map((name, i) => `<sheet name="${name}" r:id="r${i}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations({
      ...Object.fromEntries(targets),
      s: ['sharedStrings', 'sharedStrings.xml'],
      t: ['styles', 'styles.xml'],
    }),
    ...Object.fromEntries(
      names.map((name, i) => [`xl/sheet${i}.xml`, `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`]),
    ),
    ...more,
  })
}

/** Each slide as XML of its shapes. */
export const makePptx = (slides: readonly string[], more: Files = {}): Buffer =>
  makeZip({
    ...start('ppt/presentation.xml'),
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${i}" r:id="r${i}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      Object.fromEntries(slides.map((_, i) => [`r${i}`, ['slide', `slides/slide${i}.xml`]] as const)),
    ),
    ...Object.fromEntries(
      slides.map((shapes, i) => [
        `ppt/slides/slide${i}.xml`,
        `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      ]),
    ),
    ...more,
  })
