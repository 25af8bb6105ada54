export type { ChangeProgress, ChangingPlane, ModelChange } from '../../adapters/catalog/sql/plane-models.ts'
