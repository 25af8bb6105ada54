import type { Locator, Metadata, Modality, Plane } from '../../../model/unit.ts'
import type { SeedFile } from './seed-file.ts'

/** One Unit of the demo dataset, before the service gives it an id and an owner. */
export interface SeedUnit {
  /** Stable, kebab-case, prefixed `seed-`: seeding again finds the same Unit by it. */
  externalId: string
  scope: string
  modality: Modality
  /** Only where it differs from the modality's default plane. */
  plane?: Plane
  text: string
  docId?: string
  sourceUri?: string
  /** The file that it opens; without one `sourceUri` is only a pointer. */
  file?: SeedFile
  mime?: string
  locator?: Locator
  /** Group names, `*` for everyone in the scope, or empty for the owner alone. */
  aclGroups: readonly string[]
  metadata?: Metadata
}
