// The page of a consent: signing in, and the decision. A form cannot lead to the client's address under the page's
// policy, so the decision is sent from here.
const problem = document.getElementById('problem')

function report(text) {
  problem.textContent = text
  problem.hidden = false
}

/** The answer of a request, or null after its error was reported. */
async function post(path, body) {
  problem.hidden = true
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await response.json()
    if (response.ok) return answer
    report(answer.detail ?? answer.error_description ?? answer.message ?? 'The request failed: try again.')
  } catch {
    report('The service cannot be reached: try again.')
  }
  return null
}

const signIn = document.getElementById('sign-in')
signIn?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { email, password } = Object.fromEntries(new FormData(signIn))
  if (await post('/api/auth/sign-in/email', { email, password })) location.reload()
})

document.getElementById('provider')?.addEventListener('click', async () => {
  const answer = await post('/api/auth/sign-in/social', {
    provider: 'oidc',
    callbackURL: location.href,
    disableRedirect: true,
  })
  if (answer?.url) location.assign(answer.url)
})

const consent = document.getElementById('consent')

async function decide(allow) {
  const { namespace, scope, readOnly } = Object.fromEntries(new FormData(consent))
  const buttons = [...consent.querySelectorAll('button')]
  for (const button of buttons) button.disabled = true
  const answer = await post('/consent', {
    request: location.search.slice(1),
    allow,
    namespace: namespace || null,
    scope: scope.trim() || null,
    readOnly: readOnly === 'on',
  })
  if (answer) location.assign(answer.location)
  else for (const button of buttons) button.disabled = false
}

consent?.addEventListener('submit', (event) => {
  event.preventDefault()
  void decide(true)
})
consent?.elements.refuse.addEventListener('click', () => void decide(false))
