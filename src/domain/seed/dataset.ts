/** The demo dataset: a year at Sandpiper Line, an invented company with four small electric ferries. */
import { backendOperations } from './content/backend-operations.ts'
import { pier4Overheat } from './content/backend-pier-4-overheat.ts'
import { ticketing } from './content/backend-ticketing.ts'
import { invoices } from './content/finance-invoices.ts'
import { financeReports } from './content/finance-reports.ts'
import { bookingApp } from './content/frontend-booking-app.ts'
import { cameras } from './content/general-cameras.ts'
import { handbookAndVisitors } from './content/general-handbook.ts'
import { timetable } from './content/general-timetable.ts'
import type { SeedUnit } from './content/seed-unit.ts'

/** The demo namespace's scopes; every seed Unit is in one of them. */
export const seedScopes = ['harbor/backend', 'harbor/frontend', 'harbor/finance', 'harbor/general'] as const

/** The groups of the seeded principals. */
export const seedGroups = ['backend', 'general', 'finance'] as const

export const seedUnits: readonly SeedUnit[] = [
  ...pier4Overheat,
  ...ticketing,
  ...backendOperations,
  ...bookingApp,
  ...invoices,
  ...financeReports,
  ...timetable,
  ...cameras,
  ...handbookAndVisitors,
]
