import { Button } from '../components/button.tsx'
import { NamedPerson } from '../components/named-person.tsx'
import { useKept, useSetUrl } from '../session/url.ts'

/** Says on every page that lists are those of someone else. */
export function ViewAs() {
  const set = useSetUrl()
  const { as: principal } = useKept()
  if (principal === undefined) return null
  return (
    <section
      aria-label="View as"
      className="sticky top-0 z-20 flex flex-wrap items-center gap-3 bg-warn px-4 py-2 text-on-accent"
    >
      <p className="min-w-0 flex-1">
        You see what{' '}
        <strong>
          <NamedPerson key={principal} id={principal} idClass="" />
        </strong>{' '}
        may read, as far as you may read it too. This is in the audit log.
      </p>
      <Button onClick={() => set({ as: undefined })}>Stop</Button>
    </section>
  )
}
