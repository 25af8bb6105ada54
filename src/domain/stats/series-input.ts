import { z } from 'zod'

export const usageSteps = ['hour', 'day'] as const
/** Hours of a step. */
export const stepHours = { hour: 1, day: 24 } as const

const maxPoints = 2000
export const hourMs = 3_600_000

const time = z.int('must be an integer').min(0, 'must not be negative').max(Number.MAX_SAFE_INTEGER)

/** The first epoch hour of the steps of a range, and the first one after them. */
export const hoursOf = ({ from, to, step }: { from: number; to: number; step: (typeof usageSteps)[number] }) => {
  const stepMs = stepHours[step] * hourMs
  return [Math.floor(from / stepMs) * stepHours[step], Math.ceil(to / stepMs) * stepHours[step]] as const
}

export const seriesInput = z
  .strictObject({
    from: time.describe('Epoch milliseconds: the step that holds it is the first one.'),
    to: time.describe('Epoch milliseconds: the step that holds the moment before it is the last one.'),
    step: z.enum(usageSteps).describe('How long a step is. Days are those of UTC.'),
  })
  .superRefine((input, context) => {
    const [first, end] = hoursOf(input)
    const problem =
      input.from >= input.to
        ? 'must be after from'
        : (end - first) / stepHours[input.step] > maxPoints && `must be at most ${maxPoints} steps after from`
    if (problem) context.addIssue({ code: 'custom', path: ['to'], message: problem })
  })
export type SeriesInput = z.output<typeof seriesInput>
