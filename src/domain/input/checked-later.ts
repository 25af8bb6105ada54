import { z } from 'zod'

const rules = new WeakMap<z.core.$ZodType, z.ZodType>()

/** Input that the domain checks later by these rules, separately from the rest: long lists are checked in slices. */
export function checkedLater<S extends z.ZodType>(schema: S) {
  const later = z.custom<z.input<S>>()
  rules.set(later, schema)
  return later
}

/** The rules of input that is checked later; undefined for any other. */
export const laterRules = (schema: z.core.$ZodType): z.ZodType | undefined => rules.get(schema)
