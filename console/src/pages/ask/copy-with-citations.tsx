import { Button } from '../../components/button.tsx'
import { copy } from '../../components/clipboard.ts'
import { stringifySearch, useKept } from '../../session/url.ts'
import type { AskedFragment } from './generated/graphql.ts'
import { sourceName } from './sources.tsx'

export interface CopyWithCitationsProps {
  question: string
  answer: NonNullable<AskedFragment['answer']>
  hits: AskedFragment['hits']
}

/** Copies the answer as text, with its quotes and links to their places below. */
export function CopyWithCitations({ question, answer, hits }: CopyWithCitationsProps) {
  const kept = useKept()
  const text = () => {
    const quotes = answer.citations.map(({ marker, unitId, quote, start, end }) => {
      const place = stringifySearch({ ...kept, unit: unitId, quote: `${start}-${end}` })
      return `[${marker}] ${sourceName(unitId, hits)}: “${quote}”\n    ${location.origin}/view${place}`
    })
    return [question, answer.sentences.map((one) => one.text).join(' '), quotes.join('\n')].join('\n\n')
  }
  return <Button onClick={() => void copy(text(), 'Answer')}>Copy with citations</Button>
}
