import { z } from 'zod'

/** Input that is not checked with the rest of it, but by the domain, by these rules: what is long in slices. */
export const checkedLater = <S extends z.ZodType>(_: S) => z.custom<z.input<S>>()
