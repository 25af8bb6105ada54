import { useGraphql } from '../graphql/hooks.ts'
import { NameOfPrincipalDocument } from '../session/generated/graphql.ts'
import { Person } from './person.tsx'

/** A principal whose name is asked for. That of a guest, whose home is elsewhere, stands with its grant. */
export function NamedPerson({ id, idClass }: { id: string; idClass?: string }) {
  const { data } = useGraphql(NameOfPrincipalDocument, { id }, { isPartial: true })
  const guest = data?.grants?.grants.find(({ principalId }) => principalId === id)
  const name = data?.principal?.name ?? data?.principal?.email ?? guest?.principalName
  return <Person id={id} name={name} {...(idClass !== undefined && { idClass })} />
}
