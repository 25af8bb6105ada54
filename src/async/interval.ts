/** Runs the work every `ms` until the returned function is called. It does not keep the process alive. */
export function startInterval(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}
