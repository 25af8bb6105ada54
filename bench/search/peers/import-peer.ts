import { PeerSkippedError } from './peer.ts'

/** Imports a package of this folder, which is not a dependency of the project. */
export async function importPeer(name: string): Promise<unknown> {
  try {
    return await import(name)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (isMissing) throw new PeerSkippedError(`${name} is not installed; run: npm --prefix bench/search/peers install`)
    throw new PeerSkippedError(`${name} does not load: ${error}`)
  }
}
