// AssemblyScript, a separate language. Every argument is a byte offset into the shared memory, or a count; both are
// unsigned and reach 4 GiB. All state is in locals: threads run this over one memory at the same time.

export { hamming, within } from './bits'
export { meanOfNearest, weighTerms } from './compare'
export { dots } from './dots'
export { sketch } from './sketch'
