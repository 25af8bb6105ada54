/** Whether a combination of labels is among the first `max`: a limit of series that holds whatever callers send. */
export function atMost(max: number): (combination: string) => boolean {
  const known = new Set<string>()
  return (combination) => {
    if (known.has(combination)) return true
    if (known.size >= max) return false
    known.add(combination)
    return true
  }
}
