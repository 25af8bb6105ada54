/** Loaded at the first call: the SDK takes memory, and a service without payments needs none of it. */
export const loadSdk = () => import('stripe')
