import { randomUUID } from 'node:crypto'
import { type Acl, planes } from '../../../model/unit.ts'
import type { PlaneContent } from '../../../ports/indexes/index-filter.ts'
import { Dictionary } from '../memory/dictionary.ts'
import { type Column, Store, type StoreState } from '../memory/store.ts'
import { TextColumns } from '../text/text-columns.ts'
import { Matrix, type MatrixState } from '../vectors/matrix.ts'
import { Facets } from './facets.ts'

/** A shard as it is passed to another thread. */
export interface ShardState {
  /** Identifies the shard during its life: numbers of rows, words and ACLs keep their meaning while the id stays. */
  id: string
  columns: StoreState
  matrices: readonly MatrixState[]
}

/** Stands for "no string" or "no matrix" in columns that hold number + 1. */
export const none = 0

/**
 * One namespace's Units of all planes as columns over numbered rows. Rows are only added: a changed Unit gets a new
 * row, and its older row dies. A reader takes the number of rows once. For that reader, rows beyond it don't exist, and
 * rows that died later are alive.
 */
export class Shard {
  readonly id: string
  readonly store: Store
  readonly unitIds: Dictionary
  /** By unit: its living row + 1, or 0; and the seq of its latest change, including removals. */
  readonly rowOf: Column<'u32'>
  readonly seqOf: Column<'f64'>
  readonly scopes: Dictionary
  /** Distinct ACLs, as JSON `[owner, ...groups]`: each is checked once per query. */
  readonly acls: Dictionary
  /** Values that other filters compare: documents, external ids, URIs, media types. */
  readonly strings: Dictionary
  readonly facets: Facets
  readonly rows
  readonly text: TextColumns
  readonly matrices: Matrix[]
  /** How many rows died since the shard was made, compacted or read; only the writing thread knows it. */
  deadRows = 0
  /** Increases with every change by this thread. */
  changes = 0
  readonly #acls: Acl[]
  /** Ascending unit ids of rows, which break ties. */
  readonly compareUnits = (rowA: number, rowB: number): number =>
    this.unitIds.compare(this.rows.unit.array[rowA] ?? 0, this.rows.unit.array[rowB] ?? 0)

  /** @param older what this thread saw before; it may be the same shard */
  constructor(state: Omit<ShardState, 'id'> & { id?: string } = { columns: {}, matrices: [] }, older?: Shard) {
    const store = new Store(state.columns)
    this.id = state.id ?? randomUUID()
    const earlier = older?.id === this.id ? older : undefined
    this.store = store
    this.unitIds = new Dictionary(store, 'units')
    this.rowOf = store.column('units.row', 'u32')
    this.seqOf = store.column('units.seq', 'f64')
    this.scopes = new Dictionary(store, 'scopes')
    this.acls = new Dictionary(store, 'acls')
    this.strings = new Dictionary(store, 'strings')
    this.facets = new Facets(store, earlier?.facets)
    this.rows = {
      unit: store.column('rows.unit', 'u32'),
      /** 0 while alive; otherwise a reader of at least this many rows finds it dead. */
      deadAt: store.column('rows.deadAt', 'u32'),
      plane: store.column('rows.plane', 'u8'),
      modality: store.column('rows.modality', 'u8'),
      scope: store.column('rows.scope', 'u32'),
      acl: store.column('rows.acl', 'u32'),
      /** `none`, or the number of a string + 1. */
      docId: store.column('rows.docId', 'u32'),
      externalId: store.column('rows.externalId', 'u32'),
      sourceUri: store.column('rows.sourceUri', 'u32'),
      mime: store.column('rows.mime', 'u32'),
      createdAt: store.column('rows.createdAt', 'f64'),
      updatedAt: store.column('rows.updatedAt', 'f64'),
      /** Of a time range, in milliseconds; NaN if there is none. */
      timeStart: store.column('rows.timeStart', 'f64'),
      timeEnd: store.column('rows.timeEnd', 'f64'),
      /** The matrix + 1 that holds the row's vectors, or 0; their first slot there, and how many follow each other. */
      matrix: store.column('rows.matrix', 'u32'),
      slot: store.column('rows.slot', 'u32'),
      slots: store.column('rows.slots', 'u8'),
      /** The same for vectors of another model. */
      otherMatrix: store.column('rows.otherMatrix', 'u32'),
      otherSlot: store.column('rows.otherSlot', 'u32'),
      otherSlots: store.column('rows.otherSlots', 'u8'),
    }
    this.text = new TextColumns(store)
    this.#acls = earlier ? earlier.#acls : []
    this.matrices = state.matrices.map(
      (matrix, number) => new Matrix(matrix, normsOf(store, number), earlier?.matrices[number]),
    )
  }

  get state(): ShardState {
    return { id: this.id, columns: this.store.state(), matrices: this.matrices.map((matrix) => matrix.state) }
  }

  get rowCount(): number {
    return this.rows.unit.length
  }

  get bytes(): number {
    return this.store.bytes + this.matrices.reduce((sum, matrix) => sum + matrix.bytes, 0)
  }

  /** The number of the matrix of a plane, a model and its dimensions, which may change; -1 for none. */
  matrixOf(plane: string, model: string, dims: number): number {
    return this.matrices.findIndex(({ state }) => state.plane === plane && state.model === model && state.dims === dims)
  }

  /** The numbers of all matrices of a plane and model. */
  matricesOf(plane: string, model: string): number[] {
    return this.matrices.flatMap(({ state }, number) =>
      state.plane === plane && state.model === model ? [number] : [],
    )
  }

  addMatrix(state: MatrixState): Matrix {
    const matrix = new Matrix(state, normsOf(this.store, this.matrices.length))
    this.matrices.push(matrix)
    return matrix
  }

  /** An ACL by its number; parsed once. */
  acl(number: number): Acl {
    let acl = this.#acls[number]
    if (acl === undefined) {
      const [owner = '', ...groups]: string[] = JSON.parse(this.acls.text(number))
      acl = { owner, groups }
      this.#acls[number] = acl
    }
    return acl
  }

  /** unitId -> seq of a plane's living rows. */
  manifest(plane: number): Map<string, number> {
    const held = new Map<string, number>()
    for (let unit = 0; unit < this.unitIds.size; unit++) {
      const row = (this.rowOf.array[unit] ?? 0) - 1
      if (row >= 0 && this.rows.plane.array[row] === plane) {
        held.set(this.unitIds.text(unit), this.seqOf.array[unit] ?? 0)
      }
    }
    return held
  }
}

const normsOf = (store: Store, number: number) => store.column(`vectors.${number}.inverseNorms`, 'f64')

const known = new WeakMap<Shard, { changes: number; content: PlaneContent[] }>()

/**
 * Living Units and bytes of a shard, by the number of the plane. Vectors are of one plane; columns are shared, so each
 * plane has the share of its Units. Counted again only after a change.
 */
export function contentOf(shard: Shard): readonly PlaneContent[] {
  const before = known.get(shard)
  if (before?.changes === shard.changes) return before.content
  const { deadAt, plane: planeOf } = shard.rows
  const units = planes.map(() => 0)
  for (let row = 0; row < shard.rowCount; row++) {
    const plane = planeOf.array[row] ?? 0
    if (deadAt.array[row] === 0) units[plane] = (units[plane] ?? 0) + 1
  }
  const living = units.reduce((sum, own) => sum + own, 0)
  const content = planes.map((plane, i): PlaneContent => {
    const vectors = shard.matrices.filter(({ state }) => state.plane === plane)
    const own = units[i] ?? 0
    const shared = living === 0 ? 0 : (shard.store.bytes * own) / living
    return { units: own, bytes: Math.round(shared + vectors.reduce((sum, { bytes }) => sum + bytes, 0)) }
  })
  known.set(shard, { changes: shard.changes, content })
  return content
}
