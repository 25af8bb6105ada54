/** What is simulated: Units in all, and the tenants that have them. */
export interface Population {
  units: number
  tenants: number
}

/** Sizes of tenants, the largest first: by Zipf's law, the tenant of rank r has a share of 1 / r of the whole. */
export function zipfTenants({ units, tenants }: Population): Float64Array {
  const shares = Float64Array.from({ length: tenants }, (_, i) => 1 / (i + 1))
  const sum = shares.reduce((total, share) => total + share, 0)
  return shares.map((share) => (units * share) / sum)
}
