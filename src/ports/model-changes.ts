import type { Plane } from '../model/unit.ts'

/** A plane of a namespace, one model whose vectors it holds, and the one whose vectors it shall hold. */
export interface ModelChange {
  namespaceId: string
  plane: Plane
  from: string
  target: string
}

/** A plane that holds vectors of another model than it shall. */
export interface ChangingPlane {
  namespaceId: string
  plane: Plane
  models: ChangingModel[]
}

export interface ChangingModel {
  model: string
  /** Searches use it. */
  serving: boolean
  /** When the change to this model began, epoch ms. */
  since: number | null
}

/** How far a change of models is, in live Units. */
export interface ChangeProgress {
  /** With a vector of the new model. */
  done: number
  /** With a text and a vector of another model alone. */
  left: number
  /** When it began, epoch ms; null when it is about to. */
  since: number | null
}

/** What changing a plane's model goes by. Callers' own vectors (`own`) take no part. */
export interface ModelChangeReader {
  /** The namespaces in which the plane holds vectors of other models than the given one. */
  planes(plane: Plane, target: string): Promise<ChangingPlane[]>
  /** Live Units with a text and a vector of `from` but none of `target`, by ascending id, after one. */
  outdated(change: ModelChange, after: string, limit: number): Promise<{ unitId: string; seq: number; text: string }[]>
  /**
   * Units whose vector of `from` nothing needs: those with one of `target`, and tombstoned ones with a text, which are
   * embedded when they come back.
   */
  superseded(change: ModelChange, limit: number): Promise<string[]>
  /** Counts Units up to a seq. */
  progress(namespaceId: string, plane: Plane, target: string, seq: number): Promise<ChangeProgress>
}

/** The writes of such a change, under the head row. All can be repeated. */
export interface ModelChangeWriter {
  /** Records when it began; the first time counts. */
  begin(plane: Plane, target: string, dims: number, now: number): Promise<void>
  /**
   * Puts vectors of `target` beside those that searches use, under the next seqs, where a Unit has not changed since
   * `seq`; a Unit that has nothing to embed loses its vector. Returns how many were.
   */
  embed(
    plane: Plane,
    target: string,
    units: readonly { unitId: string; seq: number; values: Float32Array | null }[],
  ): Promise<number>
  /** From now on searches use `target`; false if they did. */
  serve(plane: Plane, target: string): Promise<boolean>
  /** Removes what `superseded` found, if it still is, under the next seqs; returns of how many Units. */
  remove(plane: Plane, target: string, unitIds: readonly string[]): Promise<number>
  /** Ends the change: forgets models of which no vector is left. */
  end(plane: Plane, target: string): Promise<void>
}
