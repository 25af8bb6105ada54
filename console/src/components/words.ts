/** `.93`, or `1.00`. */
export const shareText = (share: number): string => share.toFixed(2).replace(/^0/, '')

/** `12 ms`, or `1.4 s`. */
export const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`

/** What each `hiddenCount` says of hidden Units. */
export const hiddenCounts = { exact: 'the exact number', some: 'only whether there are any', off: 'nothing' } as const

/** A scope that rights reach; `*` stands for all of them. */
export const scopeText = (scope: string): string => (scope === '*' ? 'all scopes' : scope)
