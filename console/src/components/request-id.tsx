/** What an operator finds a request by. */
export function RequestId({ id }: { id: string | null }) {
  if (id === null) return null
  return (
    <p className="text-small text-muted">
      Request id <code>{id}</code>
    </p>
  )
}
