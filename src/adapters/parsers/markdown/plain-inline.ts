/** A heading as it reads: without marks of emphasis, code and links. */
export const plainInline = (markdown: string): string =>
  markdown
    .slice(0, 2000)
    .replace(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/(\*\*|__|~~|`+)(?=\S)/g, '')
    .replace(/(?<=\S)(\*\*|__|~~|`+)/g, '')
    .replace(/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
