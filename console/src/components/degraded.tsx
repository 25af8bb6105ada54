import { planeText } from './words.ts'

/** The parts of a search that failed, if any. */
export const Degraded = ({ parts }: { parts: readonly string[] }) =>
  parts.length > 0 && <p className="text-warn">Not everything answered: {failuresOf(parts)}. Try again in a moment.</p>

const legs: Record<string, string> = { vector: 'by meaning', text: 'by words', rerank: 'reranking' }

/** Parts as the service names them, `vector:audio` say, each kind once with its planes. */
function failuresOf(degraded: readonly string[]): string {
  const parts = degraded.map((name) => name.split(':'))
  return [...new Set(parts.map(([kind = '']) => kind))]
    .map((kind) => {
      const planes = parts.flatMap(([one, plane = '']) => (one === kind && plane !== '' ? planeText(plane) : []))
      return [legs[kind] ?? kind, planes.join(', ')].filter((words) => words !== '').join(' in ')
    })
    .join('; ')
}
