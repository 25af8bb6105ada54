import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { copy } from '../../components/clipboard.ts'

/** Whose they are, and what they may do. */
const about: Record<string, string> = {
  admin: 'demo-admin: everything in the namespace demo',
  readonly: 'demo-readonly: reads harbor/backend in demo',
  free: 'free-user: reads and writes the empty namespace free',
  pro: 'pro-user: reads and writes the empty namespace pro',
  enterprise: 'enterprise-user: everything in the empty namespace enterprise',
}

/** The keys of the demo, shown this once. */
export function DemoKeys({ tokens }: { tokens: Record<string, string> }) {
  const all = Object.entries(tokens)
  const text = all.map(([name, token]) => `${name} ${token}\n`).join('')
  return (
    <section aria-label="Demo keys" className="flex flex-col gap-4 rounded-surface border border-line bg-surface p-4">
      <p>
        You are signed in by the key <strong>admin</strong>. The service keeps only hashes of these keys: copy them now,
        they are not shown again.
      </p>
      <dl className="flex flex-col gap-2">
        {all.map(([name, token]) => (
          <div key={name}>
            <dt>
              <span className="font-strong">{name}</span> <span className="text-muted">{about[name]}</span>
            </dt>
            <dd>
              <code>{token}</code>
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => copy(text, 'Keys')}>Copy all</Button>
        <Button onClick={() => download(text)}>Download</Button>
        <Link
          to="/search"
          className="control inline-flex items-center border-accent bg-accent text-on-accent no-underline"
        >
          Go to search
        </Link>
      </div>
    </section>
  )
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  Object.assign(document.createElement('a'), { href: url, download: 'demo-keys.txt' }).click()
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
