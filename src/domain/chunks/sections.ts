import type { Block } from '../../ports/format.ts'

/**
 * Neighbouring blocks under the same headings with equal metadata and the same header. A heading is in the title of
 * what follows; only one that nothing follows is a section of its own.
 */
export function sectionsOf(blocks: readonly Block[]): Block[][] {
  const sections: Block[][] = []
  let key: string | null = null
  blocks.forEach((block, i) => {
    if (block.kind === 'heading') {
      key = null
      if (isBare(block, blocks[i + 1])) sections.push([block])
      return
    }
    const own = JSON.stringify([block.headings, block.metadata, block.header])
    if (own === key) sections.at(-1)?.push(block)
    else sections.push([block])
    key = own
  })
  return sections
}

const isBare = (heading: Block, next: Block | undefined): boolean =>
  next === undefined || (next.kind === 'heading' && next.headings.length <= heading.headings.length)
