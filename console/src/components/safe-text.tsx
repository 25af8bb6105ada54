import { Fragment } from 'react'

/** Control characters except tab and line ends, marks of direction, and others that show as nothing. */
const invisible = /([\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb])/u
const kept = new Set(['\n', '\t', '\r'])

/** Content of the service: text alone, in its own direction, with nothing hidden in it. */
export function SafeText({ children, className = '' }: { children: string; className?: string }) {
  if (children === '') return null
  return (
    <bdi dir="auto" className={className}>
      <Visible text={children} />
    </bdi>
  )
}

/** The text with each character that would not show as its number in a box. */
export function Visible({ text }: { text: string }) {
  if (!invisible.test(text)) return text
  return text.split(invisible).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other identity
    if (index % 2 === 0 || kept.has(part)) return <Fragment key={index}>{part}</Fragment>
    const name = `U+${(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other identity
    return <Box key={index} name={name} />
  })
}

const Box = ({ name }: { name: string }) => (
  <code className="mx-0.5 rounded-control border border-control px-1 text-muted">{name}</code>
)
