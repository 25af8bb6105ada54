/** The pages of the console; everything else is not its own. */
const pages = new Set([
  '/',
  '/welcome',
  '/consent',
  '/join',
  '/reset-password',
  '/search',
  '/ask',
  '/documents',
  '/view',
  '/access/members',
  '/access/principals',
  '/access/grants',
  '/access/groups',
  '/access/invitations',
  '/access/keys',
  '/access/explain',
  '/audit',
  '/usage',
  '/evaluation',
  '/health',
  '/settings',
])

/** The template of the page at `path`, null if there is none. */
export function pageAt(path: string): string | null {
  if (pages.has(path)) return path
  return /^\/audit\/receipts\/\d{1,16}$/.test(path) ? '/audit/receipts/{seq}' : null
}
