import type { Reply } from './resp.ts'

interface Entry {
  value: string
  /** On the monotonic clock; Infinity if the entry does not expire. */
  until: number
}

/** One database: key -> entry. */
export type Database = Map<string, Entry>

const ok: Reply = { ok: 'OK' }
const syntaxError: Reply = { error: 'ERR syntax error' }

/** The Redis data commands that the service uses. */
export function runCommand(database: Database, [name = '', ...words]: readonly string[]): Reply {
  const [key = '', value = ''] = words
  switch (name.toUpperCase()) {
    case 'PING':
      return { ok: 'PONG' }
    case 'GET':
      return live(database, key)?.value ?? null
    case 'SET':
      return set(database, key, value, words.slice(2))
    case 'INCR': {
      const entry = live(database, key) ?? { value: '0', until: Number.POSITIVE_INFINITY }
      if (!/^-?\d+$/.test(entry.value)) return { error: 'ERR value is not an integer or out of range' }
      const count = Number(entry.value) + 1
      database.set(key, { ...entry, value: `${count}` })
      return count
    }
    case 'DEL':
      return words.filter((word) => live(database, word) && database.delete(word)).length
    default:
      return { error: `ERR unknown command '${name}'` }
  }
}

function set(database: Database, key: string, value: string, options: readonly string[]): Reply {
  let until = Number.POSITIVE_INFINITY
  let onlyNew = false
  for (let i = 0; i < options.length; i++) {
    const option = options[i]?.toUpperCase()
    const unit = option === 'PX' ? 1 : option === 'EX' ? 1000 : null
    if (option === 'NX') onlyNew = true
    else if (unit === null) return syntaxError
    else {
      i += 1
      const given = options[i] ?? ''
      if (!/^[1-9]\d*$/.test(given)) return { error: "ERR invalid expire time in 'set' command" }
      until = performance.now() + Number(given) * unit
    }
  }
  if (onlyNew && live(database, key)) return null
  database.set(key, { value, until })
  return ok
}

function live(database: Database, key: string): Entry | null {
  const entry = database.get(key)
  if (entry && entry.until > performance.now()) return entry
  database.delete(key)
  return null
}
