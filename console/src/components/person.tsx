import { SafeText } from './safe-text.tsx'

export interface PersonProps {
  id: string
  name?: string | null | undefined
  /** The colour of the id beside the name. */
  idClass?: string
}

/** A principal by its name, with its id beside it; without a name, the id alone. */
export const Person = ({ id, name, idClass = 'text-muted' }: PersonProps) =>
  name ? (
    <span title={id}>
      <SafeText>{name}</SafeText>{' '}
      <span className={`text-small font-normal ${idClass}`}>
        <SafeText>{id}</SafeText>
      </span>
    </span>
  ) : (
    <SafeText>{id}</SafeText>
  )

/** The same in a sentence or a title. */
export const nameOf = (id: string, name?: string | null): string => name ?? id
