import { Parser } from 'htmlparser2'
import type { Attachment } from '../../ports/parser.ts'
import { collapsed, frameRole, hiddenNames, isMainBy, isUnseen, left, PageText, pictureOf } from './page-text.ts'
import { TextBuilder } from './text-builder.ts'

interface LongPage {
  out: TextBuilder
  pictures: Attachment[]
  /** Characters of all that is shown. */
  length: number
}

/**
 * A page that is too long for a tree, as its elements come. What stands around its text is known by elements and roles
 * alone; where that leaves nearly nothing it is read as a whole.
 */
export function readLongPage(source: string, minBody: number): LongPage {
  const body = read(source, false)
  return body.out.text.length < body.length * minBody ? read(source, true) : body
}

function read(source: string, isWhole: boolean): LongPage {
  const found: LongPage = { out: new TextBuilder(), pictures: [], length: 0 }
  const { out, pictures } = found
  const page = new PageText(out)
  const names = new Set<string>()
  let [sheet, title] = ['', '']
  /** What is open, and how much of it is left out, is not of the frame, and is an article. */
  const open: { tag: string; isLeft: boolean; isFrame: boolean; isMain: boolean }[] = []
  const count = { isLeft: 0, isFrame: 0, isMain: 0 }
  const kinds = ['isLeft', 'isFrame', 'isMain'] as const
  const parser = new Parser({
    onopentag: (tag, attributes) => {
      const attribute = (name: string) => attributes[name] ?? ''
      const role = attribute('role')
      const element = {
        tag,
        isLeft: left.has(tag) || isUnseen('hidden' in attributes, attribute, names),
        isFrame: !isWhole && isFrameBy(tag, role, count.isMain > 0),
        isMain: isMainBy(tag, role),
      }
      open.push(element)
      for (const kind of kinds) if (element[kind]) count[kind]++
      const picture = tag === 'img' ? pictureOf(attribute, pictures.length) : null
      if (picture) pictures.push(picture)
      if (count.isLeft > 0 || count.isFrame > 0) return
      // The title is the heading of a page without one.
      if (tag === 'h1') out.endSections()
      page.open(tag, attribute)
    },
    ontext: (text) => {
      const tag = open.at(-1)?.tag
      if (tag === 'style') sheet += text
      else if (tag === 'title' && out.blocks.length === 0) title += text
      if (count.isLeft > 0) return
      found.length += text.trim().length
      if (count.isFrame === 0) page.text(text)
    },
    onclosetag: (tag) => {
      const element = open.pop()
      if (tag === 'title' && title !== '') out.enter(0, collapsed(title))
      if (tag === 'title') title = ''
      if (tag === 'style') for (const name of hiddenNames(sheet)) names.add(name)
      if (tag === 'style') sheet = ''
      if (count.isLeft === 0 && count.isFrame === 0) page.close(tag)
      for (const kind of kinds) if (element?.[kind]) count[kind]--
    },
  })
  parser.end(source)
  page.end()
  return found
}

const isFrameBy = (tag: string, role: string, isInMain: boolean) =>
  /^(nav|aside|dialog)$/.test(tag) || frameRole.test(role) || (tag === 'footer' && !isInMain)
