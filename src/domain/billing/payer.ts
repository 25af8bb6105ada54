import { forbidden } from '../../errors.ts'
import type { Session } from '../../model/session.ts'

/** Throws 403 for a caller who cannot pay: the super-admin is at home nowhere, and a restricted key is not the person. */
export function requirePayer({ facts: { caller, restrictions } }: Session): void {
  if (caller.superAdmin) throw forbidden('the super-admin has no home to pay for')
  if (Object.values(restrictions).some((restriction) => restriction !== undefined)) {
    throw forbidden('a restricted key may not pay or change what was bought')
  }
}
