/**
 * The names on the wire that depend on the brand. Its first letter is a capital in headers, as documents spell them.
 */
const header = (brand: string, name: string) => `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}-${name}`

export const scopeHeader = (brand: string): string => header(brand, 'Scope')

export const namespaceHeader = (brand: string): string => header(brand, 'Namespace')

/** The seq that a write has reached. */
export const seqHeader = (brand: string): string => header(brand, 'Seq')

/** The token of an invitation, at a sign-up. */
export const invitationHeader = (brand: string): string => header(brand, 'Invitation')

/** The seq that a read must follow. */
export const afterSeqHeader = (brand: string): string => header(brand, 'After-Seq')

export const sessionCookie = (brand: string): string => `${brand}.session_token`

/** The prefix of a token. Its name and 32 random characters follow. */
export const tokenPrefix = (brand: string): string => `${brand}_sk_`

/** The prefix of an agent's access token. */
export const agentTokenPrefix = (brand: string): string => `${brand}_at_`

/** The brand in a token; undefined for a text that is not a token. */
export const brandOfToken = (token: string): string | undefined => /^([a-z][a-z0-9]{0,15})_sk_/.exec(token)?.[1]
