import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router'
import { Page } from './components/page.tsx'
import { Problem } from './components/problem.tsx'
import { Skeleton } from './components/skeleton.tsx'
import { NotFound } from './pages/not-found.tsx'
import { parseSearch, stringifySearch, type UrlSearch } from './session/url.ts'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): UrlSearch => search as UrlSearch,
})
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

/** A page that anyone may open. */
const open = (path: string, component: RouteComponent) => createRoute({ getParentRoute: () => root, path, component })
/** A page inside the shell. */
const page = (path: string, component: RouteComponent) => createRoute({ getParentRoute: () => shell, path, component })

const accessTables = ['members', 'principals', 'grants', 'groups', 'invitations', 'keys', 'explain']
const access = lazyRouteComponent(() => import('./pages/access/access-page.tsx'), 'AccessPage')

const routeTree = root.addChildren([
  open(
    '/',
    lazyRouteComponent(() => import('./pages/start/start-page.tsx'), 'StartPage'),
  ),
  open(
    '/welcome',
    lazyRouteComponent(() => import('./pages/welcome/welcome-page.tsx'), 'WelcomePage'),
  ),
  open(
    '/consent',
    lazyRouteComponent(() => import('./pages/consent/consent-page.tsx'), 'ConsentPage'),
  ),
  open(
    '/join',
    lazyRouteComponent(() => import('./pages/join/join-page.tsx'), 'JoinPage'),
  ),
  open(
    '/reset-password',
    lazyRouteComponent(() => import('./pages/reset-password/reset-password-page.tsx'), 'ResetPasswordPage'),
  ),
  shell.addChildren([
    page(
      '/search',
      lazyRouteComponent(() => import('./pages/search/search-page.tsx'), 'SearchPage'),
    ),
    page(
      '/ask',
      lazyRouteComponent(() => import('./pages/ask/ask-page.tsx'), 'AskPage'),
    ),
    page(
      '/documents',
      lazyRouteComponent(() => import('./pages/documents/documents-page.tsx'), 'DocumentsPage'),
    ),
    page(
      '/view',
      lazyRouteComponent(() => import('./pages/view/view-page.tsx'), 'ViewPage'),
    ),
    ...accessTables.map((table) => page(`/access/${table}`, access)),
    page(
      '/audit',
      lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
    ),
    page(
      '/audit/receipts/$seq',
      lazyRouteComponent(() => import('./pages/audit/receipt-page.tsx'), 'ReceiptPage'),
    ),
    page(
      '/usage',
      lazyRouteComponent(() => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
    ),
    page(
      '/evaluation',
      lazyRouteComponent(() => import('./pages/evaluation/evaluation-page.tsx'), 'EvaluationPage'),
    ),
    page(
      '/health',
      lazyRouteComponent(() => import('./pages/health/health-page.tsx'), 'HealthPage'),
    ),
    page(
      '/settings',
      lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
    ),
  ]),
])

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  // What hooks select stays the same object until a value in it changes.
  defaultStructuralSharing: true,
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  defaultPendingComponent: () => (
    <Page title="Loading" busy>
      <Skeleton rows={8} />
    </Page>
  ),
  defaultErrorComponent: ({ error, reset }) => (
    <Page title="Something went wrong">
      <Problem error={error} onRetry={reset} />
    </Page>
  ),
})
