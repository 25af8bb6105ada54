import type { Plane } from '../../model/unit.ts'

/** A plane of a namespace, one model whose vectors it has, and the target model. */
export interface ModelChange {
  namespaceId: string
  plane: Plane
  from: string
  target: string
}

/** A plane that has vectors of a model other than its target model. */
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

/** The progress of a model change, in live Units. */
export interface ChangeProgress {
  /** With a vector of the new model. */
  done: number
  /** With a text, and only a vector of another model. */
  left: number
  /** When it began, epoch ms; null before it begins. */
  since: number | null
}

/** The reads that a change of a plane's model needs. Vectors sent by callers (`own`) are not part of it. */
export interface ModelChangeReader {
  /** The namespaces in which the plane has vectors of models other than the given one. */
  planes(plane: Plane, target: string): Promise<ChangingPlane[]>
  /** Live Units with a text and a vector of `from` but none of `target`, by ascending id, after the given one. */
  outdated(change: ModelChange, after: string, limit: number): Promise<{ unitId: string; seq: number; text: string }[]>
  /**
   * Units whose vector of `from` is not needed any more: those with one of `target`, and tombstoned ones with a text,
   * which are embedded when they are restored.
   */
  superseded(change: ModelChange, limit: number): Promise<string[]>
  /** Counts Units up to a seq. */
  progress(namespaceId: string, plane: Plane, target: string, seq: number): Promise<ChangeProgress>
}

/** The writes of such a change, under the head row. All can be repeated. */
export interface ModelChangeWriter {
  /** Records the start time; only the first call does. */
  begin(plane: Plane, target: string, dims: number, now: number): Promise<void>
  /**
   * Adds vectors of `target` next to those that searches use, under the next seqs, if a Unit has not changed since
   * `seq`. A Unit with nothing to embed loses its vector. Returns the number of changed Units.
   */
  embed(
    plane: Plane,
    target: string,
    units: readonly { unitId: string; seq: number; values: Float32Array | null }[],
  ): Promise<number>
  /** From now on searches use `target`; false if they already did. */
  serve(plane: Plane, target: string): Promise<boolean>
  /** Removes what `superseded` found, if it is still superseded, under the next seqs; returns the number of Units. */
  remove(plane: Plane, target: string, unitIds: readonly string[]): Promise<number>
  /** Ends the change: removes models that have no vectors left. */
  end(plane: Plane, target: string): Promise<void>
}
