import { type RefObject, useEffect, useState } from 'react'

/** Whether the element has stayed in or near sight for `restMs`; true from then on. */
export function useInSight(element: RefObject<Element | null>, restMs: number): boolean {
  const [wasSeen, setSeen] = useState(false)
  useEffect(() => {
    const { current } = element
    if (current === null || wasSeen) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        clearTimeout(timer)
        if (entry?.isIntersecting) timer = setTimeout(() => setSeen(true), restMs)
      },
      { rootMargin: '200px' },
    )
    observer.observe(current)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [element, restMs, wasSeen])
  return wasSeen
}
