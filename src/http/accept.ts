/** Whether a list such as `Accept` or `Accept-Encoding` names `wanted`, and does not refuse it by `q=0`. */
export function names(list: string | undefined, wanted: string): boolean {
  return (list ?? '').split(',').some((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    return name === wanted && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
