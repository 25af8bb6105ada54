import { hash } from 'node:crypto'
import { tokenPrefix } from '../../model/request.ts'
import type { Random } from '../../ports/clock.ts'

/** `<brand>_sk_<name>_<32 base62>`: shown once; only its hash is stored. */
export const mintToken = (brand: string, name: string, random: Random): string =>
  `${tokenPrefix(brand)}${name}_${random.base62(32)}`

/** SHA-256, hex: the only stored part of a token. */
export const tokenHash = (token: string): string => hash('sha256', token)
