import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { request } from '../../graphql/transport.ts'
import { keepKey } from '../../session/credential.ts'
import { CheckKeyDocument } from './generated/graphql.ts'

/** Uses a key for this tab, once the service knows it. */
export function KeyForm({ onSignedIn }: { onSignedIn(): void }) {
  const use = useMutation({
    mutationFn: async (key: string) => {
      await request(CheckKeyDocument, {}, { key, isPublic: true })
      keepKey(key)
    },
    onSuccess: onSignedIn,
  })
  return (
    <form
      className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4"
      onSubmit={(event) => {
        event.preventDefault()
        const key = String(new FormData(event.currentTarget).get('key') ?? '').trim()
        if (key !== '') use.mutate(key)
      }}
    >
      <h2>Use a key</h2>
      <div className="flex items-end gap-3">
        <Field className="flex-1" label="Key" name="key" type="password" autoComplete="off" required />
        <Button type="submit" busy={use.isPending}>
          Use key
        </Button>
      </div>
      <p className="text-small text-muted">It stays in this tab and is forgotten with it.</p>
      {use.error && <Problem error={use.error} />}
    </form>
  )
}
