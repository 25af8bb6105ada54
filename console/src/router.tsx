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
import { unreachable } from './graphql/service-error.ts'
import { NotFound } from './pages/not-found.tsx'
import { parseSearch, stringifySearch, type UrlSearch } from './session/url.ts'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): UrlSearch => search as UrlSearch,
})
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

const answers = () => fetch('/graphql', { method: 'HEAD' })

/**
 * The page of a module. Where one is missing, the console is of an older build, and the router loads all of it again. While the
 * service does not answer, that would lose the console.
 */
const lazy = <Name extends string>(load: Load<Name>, name: Name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error) => {
        await answers().catch(() => {
          throw unreachable()
        })
        throw error
      }),
    name,
  )

type Load<Name extends string> = () => Promise<Record<Name, RouteComponent>>

/** A page that anyone may open. */
const open = <Name extends string>(path: string, load: Load<Name>, name: Name) =>
  createRoute({ getParentRoute: () => root, path, component: lazy(load, name) })
const inShell = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => shell, path, component })
/** A page inside the shell. */
const page = <Name extends string>(path: string, load: Load<Name>, name: Name) => inShell(path, lazy(load, name))

/** Browsers have no name for it, and each its own words. */
const isUnloaded = (error: unknown) => error instanceof TypeError && /import|module/i.test(error.message)
const unloaded = 'A part of this page is not there: the service may have a new version. Try again to load that.'

const accessTables = ['members', 'principals', 'grants', 'groups', 'invitations', 'keys', 'explain']
const access = lazy(() => import('./pages/access/access-page.tsx'), 'AccessPage')

const routeTree = root.addChildren([
  open('/', () => import('./pages/start/start-page.tsx'), 'StartPage'),
  open('/welcome', () => import('./pages/welcome/welcome-page.tsx'), 'WelcomePage'),
  open('/consent', () => import('./pages/consent/consent-page.tsx'), 'ConsentPage'),
  open('/join', () => import('./pages/join/join-page.tsx'), 'JoinPage'),
  open('/reset-password', () => import('./pages/reset-password/reset-password-page.tsx'), 'ResetPasswordPage'),
  shell.addChildren([
    page('/search', () => import('./pages/search/search-page.tsx'), 'SearchPage'),
    page('/ask', () => import('./pages/ask/ask-page.tsx'), 'AskPage'),
    page('/documents', () => import('./pages/documents/documents-page.tsx'), 'DocumentsPage'),
    page('/view', () => import('./pages/view/view-page.tsx'), 'ViewPage'),
    ...accessTables.map((table) => inShell(`/access/${table}`, access)),
    page('/audit', () => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
    page('/audit/receipts/$seq', () => import('./pages/audit/receipt-page.tsx'), 'ReceiptPage'),
    page('/usage', () => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
    page('/evaluation', () => import('./pages/evaluation/evaluation-page.tsx'), 'EvaluationPage'),
    page('/health', () => import('./pages/health/health-page.tsx'), 'HealthPage'),
    page('/settings', () => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
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
  // A page that is there shows at once: half a second more of waiting would hide nothing that flickers.
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => (
    <Page title="Loading" busy>
      <Skeleton rows={8} />
    </Page>
  ),
  defaultErrorComponent: ({ error }) => (
    <Page title="Something went wrong">
      <Problem
        error={isUnloaded(error) ? new Error(unloaded) : error}
        onRetry={() =>
          answers().then(
            () => location.reload(),
            () => {},
          )
        }
      />
    </Page>
  ),
})
