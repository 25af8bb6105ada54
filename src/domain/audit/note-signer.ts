import type { KeyObject } from 'node:crypto'
import { type Checkpoint, formatCheckpoint, originOf, parseCheckpoint } from '../../model/checkpoint.ts'
import { checkSignatures, type NoteVerifier, openNote, signNote, verifierOf } from '../../model/signed-note.ts'
import type { AuditSettings } from '../bindings/bindings.ts'
import { isAsNoted, type KnownCheckpoint } from './known-checkpoints.ts'

export type NoteSigner = ReturnType<typeof createNoteSigner>

/** Signs checkpoints, and recognises the notes that this service signed. */
export function createNoteSigner({ signingKeys }: Pick<AuditSettings, 'signingKeys'>) {
  const known = new Map<string, readonly [NoteVerifier, ...NoteVerifier[]]>()

  /** The names and keys that sign for an origin, the current key first. */
  const verifiers = (origin: string): readonly [NoteVerifier, ...NoteVerifier[]] => {
    const kept = known.get(origin)
    if (kept) return kept
    const [first, ...rest] = signingKeys
    const verifier = (privateKey: KeyObject) => verifierOf({ name: origin, privateKey })
    const made = [verifier(first), ...rest.map(verifier)] as const
    if (known.size >= maxOrigins) known.clear()
    known.set(origin, [...made])
    return [...made]
  }

  return {
    sign: (checkpoint: Checkpoint) =>
      signNote(formatCheckpoint(checkpoint), { name: checkpoint.origin, privateKey: signingKeys[0] }),
    verifiers,
    /** The content of a note; null when it is not a checkpoint, or not signed by this service. */
    open: (note: string) => {
      // Checked by the origin in the note: the brand may have been different then.
      const said = parseCheckpoint(note)
      return said && openNote(note, verifiers(said.origin)) !== null ? said : null
    },
    /**
     * Checks a stored checkpoint of a log. `bad`: it differs from its note, is of another log, or its signature is
     * forged. `unknown`: none of this service's keys signed it.
     */
    check: (kept: KnownCheckpoint, namespace: string) => {
      const origin = parseCheckpoint(kept.note)?.origin
      if (!isAsNoted(kept) || !origin?.endsWith(originOf('', namespace))) return 'bad'
      return checkSignatures(kept.note, verifiers(origin))
    },
  }
}

/** Number of logs whose keys are kept in memory. */
const maxOrigins = 1000
