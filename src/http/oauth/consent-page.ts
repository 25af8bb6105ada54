import type { AuthorizationRequest, OauthError } from '../../model/oauth.ts'

/** What every page names. */
export interface Shell {
  brand: string
  /** The paths of the assets. */
  script: string
  style: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const asHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] ?? one)

/** A text of the client's: isolated, so that it cannot change how the sentence around it is read. */
const foreign = (text: string): string => `<strong><bdi>${asHtml(text)}</bdi></strong>`

function page({ brand, script, style }: Shell, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Connect an agent - ${asHtml(brand)}</title>
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>
<body>
<main>
<h1>Connect an agent</h1>
${main}
<p role="alert" id="problem" hidden></p>
</main>
</body>
</html>
`
}

/** Who asks, and where its answer goes. */
function client({ client: { name }, redirect }: AuthorizationRequest): string {
  const { hostname, host } = new URL(redirect.uri)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const place = isHere ? `a program on this computer (${foreign(hostname)})` : `the site ${foreign(host)}`
  return `<p>${foreign(name)} asks to act for you. Your answer goes to ${place}. Anyone can choose such a name: allow it only if you started this.</p>`
}

/** The page without a request. */
export const emptyPage = (shell: Shell): string =>
  page(shell, '<p>No agent asks for access. Start in your agent: it opens this page.</p>')

export const errorPage = (shell: Shell, { code, message }: OauthError): string =>
  page(
    shell,
    `<p>This request is not valid, so nothing was connected.</p>\n<p><code>${code}</code> ${asHtml(message)}</p>`,
  )

export const signInPage = (shell: Shell, request: AuthorizationRequest, hasProvider: boolean): string =>
  page(
    shell,
    `${client(request)}
<p>Sign in to decide.</p>
<form id="sign-in">
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>${hasProvider ? '\n<button id="provider" type="button">Sign in with single sign-on</button>' : ''}`,
  )

export function consentPage(shell: Shell, request: AuthorizationRequest, namespaces: readonly string[]): string {
  const writes = request.scopes.includes('write')
  const options = namespaces.map((name) => `<option>${asHtml(name)}</option>`).join('')
  const may = writes ? 'search, read, write and delete' : 'search and read'
  return page(
    shell,
    `${client(request)}
<p>It may ${may} as you do, less what you take away here. You can end the connection at any time.</p>
<form id="consent">
<label>Namespace <select name="namespace"><option value="">All of mine</option>${options}</select></label>
<label>Scope <input name="scope" maxlength="256" placeholder="All scopes" autocomplete="off" spellcheck="false"></label>
${writes ? '<label class="row"><input name="readOnly" type="checkbox"> Read only</label>\n' : ''}<div class="row">
<button name="allow">Allow</button>
<button name="refuse" type="button">Refuse</button>
</div>
</form>`,
  )
}
