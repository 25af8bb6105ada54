import { audit } from './audit.ts'
import { billing } from './billing.ts'
import { docs, documents } from './documents.ts'
import { evaluation } from './evaluation.ts'
import type { Operation } from './operation.ts'
import { groups, invitations, registries, scopes } from './registries.ts'
import { search } from './search.ts'
import { access, demo, indexes, service } from './service.ts'
import { units } from './units.ts'

/** Every operation of the service, by the name of its root field. REST routes are listed in this order. */
export const operations = {
  ...service,
  ...scopes,
  ...search,
  ...units,
  ...indexes,
  ...audit,
  ...registries,
  ...groups,
  ...invitations,
  ...billing,
  ...demo,
  ...evaluation,
  ...documents,
  ...docs,
  ...access,
}

export type OperationName = keyof typeof operations

/** Finds an operation by name; undefined if there is none. */
export const operationOf = (name: string): Operation | undefined =>
  Object.hasOwn(operations, name) ? operations[name as OperationName] : undefined
