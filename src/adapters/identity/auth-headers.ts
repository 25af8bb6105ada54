/** Carries the client's address into the library; a value that the client sends under this name is replaced. */
export const addressHeader = 'x-client-address'

/** The same for the address that an invitation lets sign up, encoded for a URL. */
export const invitedHeader = 'x-invited-address'
