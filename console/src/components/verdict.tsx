import { SafeText } from './safe-text.tsx'

const effects = {
  allows: { sign: '✓', look: 'text-ok' },
  denies: { sign: '✕', look: 'text-danger' },
  notes: { sign: '·', look: 'text-muted' },
}

export interface VerdictProps {
  name: string
  allowed: boolean
  reasons: readonly { code: string; effect: keyof typeof effects; detail: string }[]
}

/** Whether something is allowed, and the reasons for and against it. */
export function Verdict({ name, allowed, reasons }: VerdictProps) {
  return (
    <section aria-label={name} className="flex flex-col gap-2 rounded-surface border border-line bg-surface p-4">
      <h2 className={allowed ? 'text-ok' : 'text-danger'}>
        {name}: {allowed ? 'allowed' : 'denied'}
      </h2>
      <ul className="flex flex-col gap-1">
        {reasons.map(({ code, effect, detail }) => (
          <li key={`${code} ${detail}`} className="flex gap-2">
            <span className={effects[effect].look}>
              <span aria-hidden>{effects[effect].sign}</span> {effect}
            </span>
            <SafeText className="min-w-0 flex-1">{detail}</SafeText>
          </li>
        ))}
      </ul>
    </section>
  )
}
