import { SafeText } from './safe-text.tsx'

/** A principal by its name, with its id beside it; without a name, the id alone. */
export const Person = ({ id, name }: { id: string; name?: string | null | undefined }) =>
  name ? (
    <span title={id}>
      <SafeText>{name}</SafeText>{' '}
      <span className="text-small text-muted">
        <SafeText>{id}</SafeText>
      </span>
    </span>
  ) : (
    <SafeText>{id}</SafeText>
  )

/** The same in a sentence or a title. */
export const nameOf = (id: string, name?: string | null): string => name ?? id
