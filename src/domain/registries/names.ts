import { z } from 'zod'
import { tiers } from '../../model/tiers.ts'
import { text } from '../input/parse.ts'

const pattern = /^[a-z0-9][a-z0-9-]{1,62}$/

const namespaceName = text(63).regex(pattern, 'must be 2-63 of a-z, 0-9 and -, and not start with -')

/** The demo namespace and those of the tiers: they are everybody's, so nobody owns, leaves or deletes them. */
export const isSeeded = (name: string): boolean => name === 'demo' || Object.hasOwn(tiers, name)

/** `u-…` names the homes that are provisioned for console users. */
export const isReserved = (name: string): boolean => isSeeded(name) || name.startsWith('u-')

export const namespaceInput = z.strictObject({ namespace: namespaceName })
