import { useEffect, useState } from 'react'
import { type UrlSearch, useUrl } from '../session/url.ts'
import { Field } from './field.tsx'

export interface UrlFieldProps {
  /** Its name in the URL. */
  name: string
  label: string
  hint?: string
  type?: string
  className?: string
  /** What else of the URL a new value makes void. */
  voids?: UrlSearch
}

/** A field whose value stands in the URL, a moment after the last key. */
export function UrlField({ name, voids, ...props }: UrlFieldProps) {
  const { get, set } = useUrl()
  const inUrl = get(name) ?? ''
  const [draft, setDraft] = useState(inUrl)
  const [before, setBefore] = useState(inUrl)
  // Back, or a link, has changed the URL.
  if (before !== inUrl) {
    setBefore(inUrl)
    setDraft(inUrl)
  }
  useEffect(() => {
    if (draft === inUrl) return
    const timer = setTimeout(() => void set({ ...voids, [name]: draft || undefined }, { replace: true }), 250)
    return () => clearTimeout(timer)
  }, [draft, inUrl, name, set, voids])
  return <Field {...props} value={draft} onChange={({ target }) => setDraft(target.value)} />
}
