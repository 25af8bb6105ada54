/** `npm run test:nightly` sets it. */
export const atNight = process.env.NIGHTLY !== undefined

/** The first in `npm test`; the second with `LONG_TESTS`, as at night. */
export const shortOrLong = <T>(short: T, long: T): T => (process.env.LONG_TESTS === undefined ? short : long)

/** `few` in CI, `many` at night; the variable of this name says otherwise. */
function amount(variable: string, few: number, many: number): number {
  return Number(process.env[variable] ?? (atNight ? many : few))
}

export const kills = (few: number) => amount('KILL_ROUNDS', few, 10)
export const restarts = (few: number) => amount('RESTART_ROUNDS', few, 3)
export const propertyRuns = (few: number) => amount('PROPERTY_RUNS', few, 150)

/** What is random: the same in CI each time, so that a failure is one of the change at hand; another each night. */
const tonight = () => Math.floor(Math.random() * 1e6)
export const killSeed = amount('KILL_SEED', 261_121, tonight())
export const propertySeed = amount('PROPERTY_SEED', 20_261_121, tonight())
