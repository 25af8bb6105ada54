/** Input where an explicit null means "not sent". */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const kept = Object.entries(value).filter(([, v]) => v !== null && v !== undefined)
  return Object.fromEntries(kept.map(([key, v]) => [key, key === 'metadata' ? v : withoutNulls(v)]))
}
