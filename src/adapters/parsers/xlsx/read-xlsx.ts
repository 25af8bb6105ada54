import { parseLimits } from '../../../model/parse-limits.ts'
import type { OpenFile, Structure } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { openPackage, type Package } from '../ooxml/package.ts'
import { attachmentsOf, picturesIn, type ShownPicture } from '../ooxml/pictures.ts'
import { descendants, parseXml } from '../xml-tree/parse-xml.ts'
import { dateStyles } from './dates.ts'
import { type CellTexts, readSheet, type SheetRow } from './read-sheet.ts'
import { sharedStrings } from './shared-strings.ts'
import { sheetBlocks } from './sheet-blocks.ts'

const mime = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The cells of a workbook as text: a sheet after the other, a row a line, cells tab-separated. Empty rows are left out. */
export async function readXlsx(file: OpenFile): Promise<Structure> {
  const source = await openPackage(file)
  const relations = await source.relations(source.main)
  const workbook = await source.xml(source.main)
  const texts = await cellTexts(source, relations)
  const out = sheetBlocks()
  const pictures: ShownPicture[] = []
  let characters = 0
  for (const { attributes } of workbook ? descendants(workbook, 'sheet') : []) {
    const sheet = relations.find(({ id, type }) => id === attributes['r:id'] && type === 'worksheet')
    const bytes = sheet && (await source.bytes(sheet.part))
    if (!sheet || !bytes) continue
    const rows = readSheet(bytes, texts)
    characters += rows.reduce((sum, row) => sum + lengthOf(row), 0)
    if (characters > parseLimits.textBytes)
      throw new ParseError('too_large', 'The workbook has more than 64 MiB of text.')
    out.add(attributes.name ?? '', rows)
    pictures.push(...(await picturesOn(source, sheet.part)))
  }
  const attachments = await attachmentsOf(source, pictures)
  return { mime, ...out.finish(), textIsFile: false, charset: null, units: [], attachments }
}

const lengthOf = ({ cells }: SheetRow) => [...cells.values()].reduce((sum, cell) => sum + cell.length + 1, 0)

async function cellTexts(source: Package, relations: readonly { type: string; part: string }[]): Promise<CellTexts> {
  const bytesOf = async (type: string) => {
    const part = relations.find((relation) => relation.type === type)?.part
    return part === undefined ? null : await source.bytes(part)
  }
  const strings = await bytesOf('sharedStrings')
  const styles = await bytesOf('styles')
  return { shared: strings ? sharedStrings(strings) : [], dates: styles ? dateStyles(parseXml(styles)) : new Set() }
}

async function picturesOn(source: Package, sheet: string): Promise<ShownPicture[]> {
  const found: ShownPicture[] = []
  for (const drawing of (await source.relations(sheet)).filter(({ type }) => type === 'drawing')) {
    found.push(...picturesIn(await source.xml(drawing.part), await source.relations(drawing.part)))
  }
  return found
}
