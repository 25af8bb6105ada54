import { SafeText } from '../../components/safe-text.tsx'
import type { FoundFragment } from './generated/graphql.ts'

/** What each hit has word for word, and what none has. */
export function Understood({ query: { phrases, excluded } }: Pick<FoundFragment['trace'], 'query'>) {
  if (phrases.length + excluded.length === 0) return null
  const chip = (label: string, text: string, look: string) => (
    <li
      key={`${label} ${text}`}
      className={`max-w-full truncate rounded-control border px-2 py-0.5 text-small ${look}`}
    >
      <span className="text-muted">{label}</span> <SafeText>{text}</SafeText>
    </li>
  )
  return (
    <ul aria-label="Phrases and exclusions" className="flex flex-wrap gap-2">
      {phrases.map((text) => chip('with', text, 'border-accent'))}
      {excluded.map((text) => chip('without', text, 'border-warn'))}
    </ul>
  )
}
