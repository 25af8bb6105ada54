/** Makes it on first use, and again after a failure or `forget`. */
export function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | null = null
  const get = () => {
    made ??= make().catch((error) => {
      made = null
      throw error
    })
    return made
  }
  get.forget = () => {
    made = null
  }
  return get
}
