import { type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { notify } from '../../components/notifications.tsx'
import { pictureIn, readQueryPicture } from './query-picture.ts'
import type { SearchSide } from './use-search.ts'

const typingMs = 250

/** What is typed goes into the URL once the hands rest. */
export function SearchBox({
  side: { params, set, picture, setPicture },
  suffix,
}: {
  side: SearchSide
  suffix: string
}) {
  const inUrl = params.get('q') ?? ''
  const [text, setText] = useState(inUrl)
  const sent = useRef(inUrl)
  useEffect(() => {
    // Back, or a link: not what was typed here.
    if (inUrl !== sent.current) {
      sent.current = inUrl
      setText(inUrl)
    }
  }, [inUrl])
  const send = (q: string) => {
    if (q === sent.current) return
    sent.current = q
    void set({ q, open: undefined }, { replace: true })
  }
  useEffect(() => {
    const timer = setTimeout(() => send(text), typingMs)
    return () => clearTimeout(timer)
  })
  const show = (next: typeof picture) => {
    if (picture) URL.revokeObjectURL(picture.url)
    setPicture(next)
  }
  const take = async (event: SyntheticEvent, files: FileList) => {
    const file = pictureIn(files)
    if (!file) return
    event.preventDefault()
    const read = await readQueryPicture(file)
    if (read) show(read)
    else notify(`${file.name} is not a picture that this browser can read: choose a PNG, JPEG or WebP.`)
  }
  return (
    <search
      aria-label={`Search${suffix}`}
      className="flex flex-wrap items-center gap-3"
      onPaste={(event) => take(event, event.clipboardData.files)}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer.files)}
    >
      {picture && (
        <span className="flex items-center gap-2">
          <img src={picture.url} alt={picture.name} width={32} height={32} className="size-8 object-cover" />
          <Button onClick={() => show(null)}>Remove picture{suffix}</Button>
        </span>
      )}
      <input
        type="search"
        aria-label={`Search${suffix}`}
        placeholder="Words or a question"
        dir="auto"
        maxLength={8192}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && send(text)}
        className="control min-w-40 flex-1 max-wide:basis-full"
      />
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={params.get('rerank') === '1'}
          onChange={({ target }) => set({ rerank: target.checked ? '1' : undefined })}
        />
        Rerank{suffix}
      </label>
      <label className="flex items-center gap-2">
        Hits{suffix}
        <select
          value={params.get('top') ?? '10'}
          onChange={({ target }) => set({ top: target.value })}
          className="control"
        >
          {['5', '10', '20', '50'].map((top) => (
            <option key={top}>{top}</option>
          ))}
        </select>
      </label>
      <label className="flex items-center gap-2">
        Order{suffix}
        <select
          value={params.get('sort') ?? ''}
          onChange={({ target }) => set({ sort: target.value === '' ? undefined : target.value })}
          className="control"
        >
          <option value="">Best</option>
          <option value="newest">Newest</option>
          <option value="oldest">Oldest</option>
          <option value="changed">Last changed</option>
        </select>
      </label>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={params.get('group') === '1'}
          onChange={({ target }) => set({ group: target.checked ? '1' : undefined })}
        />
        By document{suffix}
      </label>
    </search>
  )
}
