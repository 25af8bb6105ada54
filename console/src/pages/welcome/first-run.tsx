import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { request } from '../../graphql/transport.ts'
import { keepKey } from '../../session/credential.ts'
import { MakeDemoDocument } from './generated/graphql.ts'

/** Offers the demo while nobody is there. */
export function FirstRun({ onMade }: { onMade(tokens: Record<string, string>): void }) {
  const make = useMutation({
    mutationFn: () => request(MakeDemoDocument, {}, { isPublic: true }),
    onSuccess: ({ seed }) => {
      const tokens = seed?.tokens as Record<string, string>
      onMade(tokens)
      if (tokens.admin !== undefined) keepKey(tokens.admin)
    },
  })
  return (
    <section className="flex flex-col items-start gap-3 rounded-surface border border-line bg-surface p-4">
      <h2>Nobody is here yet</h2>
      <p className="text-muted">
        The demo has a namespace with documents, pictures and recordings, and five keys that may do different things.
      </p>
      <Button look="primary" busy={make.isPending} onClick={() => make.mutate()}>
        Make the demo and sign in
      </Button>
      {make.error && <Problem error={make.error} />}
    </section>
  )
}
