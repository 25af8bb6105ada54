import { Boxes } from './boxes.tsx'
import type { SourceProps } from './source.tsx'

/** A picture with the boxes of its Units. */
export function ImageSource({ url, units, chosen }: SourceProps & { url: string }) {
  return (
    <div className="relative w-fit max-w-full overflow-hidden rounded-surface border border-line">
      <img src={url} alt={chosen.text ?? ''} className="max-h-[80vh] max-w-full" />
      <Boxes units={units} chosen={chosen} />
    </div>
  )
}
