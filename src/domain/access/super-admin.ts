import type { Namespace } from '../../model/registry.ts'
import type { Caller } from '../../model/session.ts'

export const superAdminId = 'super-admin'

/** It exists by configuration, and is at home wherever it is. */
export const superAdminCaller = (home: Namespace): Caller => ({
  principalId: superAdminId,
  home,
  kind: 'service',
  groups: [],
  readOnly: false,
  activeScope: '*',
  superAdmin: true,
})
