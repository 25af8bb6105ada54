import { tiers } from '../../model/tiers.ts'

/** The demo namespace and those of the tiers are shared, so nobody owns, leaves or deletes them. */
export const isSeeded = (name: string): boolean => name === 'demo' || Object.hasOwn(tiers, name)

/** `u-…` are the home namespaces that are provisioned for console users. */
export const isReserved = (name: string): boolean => isSeeded(name) || name.startsWith('u-')
