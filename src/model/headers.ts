/** The headers that select what a request works in, named after the brand as documents spell them. */
const header = (brand: string, name: string) => `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}-${name}`

export const scopeHeader = (brand: string): string => header(brand, 'Scope')

export const namespaceHeader = (brand: string): string => header(brand, 'Namespace')
