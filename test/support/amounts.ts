/** `npm run test:nightly` sets it. */
export const atNight = process.env.NIGHTLY !== undefined

const isLong = atNight || (process.env.LONG_TESTS !== undefined && process.env.TEST_DATABASE_URL === undefined)

/** The first in `npm test`, and by day on a database server, where the cases are the same; the second with `LONG_TESTS`, as at night. */
export const shortOrLong = <T>(short: T, long: T): T => (isLong ? long : short)

/** `few` in CI, `many` at night; the variable of this name says otherwise. */
function amount(variable: string, few: number, many: number): number {
  return Number(process.env[variable] ?? (atNight ? many : few))
}

/** `few` of `all` in CI, spread evenly over them; all at night. */
export const sampled = <T>(all: readonly T[], few: number): T[] =>
  all.filter((_, at) => atNight || Math.floor(((at + 1) * few) / all.length) > Math.floor((at * few) / all.length))

export const kills = (few: number) => amount('KILL_ROUNDS', few, 10)
export const restarts = (few: number) => amount('RESTART_ROUNDS', few, 3)
export const propertyRuns = (few: number) => amount('PROPERTY_RUNS', few, 150)

/** What is random: the same in CI each time, so that a failure is one of the change at hand; another each night. */
const tonight = () => Math.floor(Math.random() * 1e6)
export const killSeed = amount('KILL_SEED', 261_121, tonight())
export const propertySeed = amount('PROPERTY_SEED', 20_261_121, tonight())
