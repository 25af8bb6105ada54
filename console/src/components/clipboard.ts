import { notify } from './notifications.tsx'

/** Copies a text, and says so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify(`${what} copied`)
  } catch {
    notify('The browser did not allow to copy: select the text and copy it yourself')
  }
}
