import { brandName } from '../graphql/brand.ts'

/** The mark of the product: layers of which the top one is found. Its name stands beside it. */
export const Mark = ({ className = '', nameClass = '' }: { className?: string; nameClass?: string }) => (
  <span className={`inline-flex items-center gap-2 font-strong ${className}`}>
    <svg viewBox="0 0 32 32" aria-hidden className="size-6 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path d="M8 11.5 16 7.5l8 4-8 4z" className="fill-(--on-accent)" />
      <path
        d="m8 16.5 8 4 8-4M8 21l8 4 8-4"
        className="fill-none stroke-(--on-accent) stroke-2 opacity-80"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
    <bdi className={`truncate ${nameClass}`}>{brandName}</bdi>
  </span>
)
