// What Node 20 lacks of the JavaScript that the service is written in. Newer versions have all of it.

const define = (object, name, value) => {
  if (!(name in object)) Object.defineProperty(object, name, { value, writable: true, configurable: true })
}

define(Symbol, 'dispose', Symbol('Symbol.dispose'))
define(Symbol, 'asyncDispose', Symbol('Symbol.asyncDispose'))

define(Promise, 'withResolvers', function withResolvers() {
  let resolve
  let reject
  const promise = new this((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
})
define(Promise, 'try', function attempt(work, ...args) {
  return new this((resolve) => resolve(work(...args)))
})

define(URL, 'parse', (text, base) => {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
})

define(Map, 'groupBy', (items, keyOf) => {
  const groups = new Map()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
})
define(Object, 'groupBy', (items, keyOf) => {
  const groups = Object.create(null)
  for (const [key, group] of Map.groupBy(items, keyOf)) groups[key] = group
  return groups
})

define(Array, 'fromAsync', async (items, map = (item) => item) => {
  const found = []
  for await (const item of items) found.push(await map(item, found.length))
  return found
})

const has = (set, item) => set.has(item)
define(Set.prototype, 'union', function union(other) {
  return new Set([...this, ...other.keys()])
})
define(Set.prototype, 'intersection', function intersection(other) {
  return new Set([...this].filter((item) => has(other, item)))
})
define(Set.prototype, 'difference', function difference(other) {
  return new Set([...this].filter((item) => !has(other, item)))
})
define(Set.prototype, 'isSubsetOf', function isSubsetOf(other) {
  return [...this].every((item) => has(other, item))
})
define(Set.prototype, 'isSupersetOf', function isSupersetOf(other) {
  return [...other.keys()].every((item) => has(this, item))
})
define(Set.prototype, 'isDisjointFrom', function isDisjointFrom(other) {
  return ![...this].some((item) => has(other, item))
})

// Helpers of iterators: https://tc39.es/proposal-iterator-helpers/
const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))
define(iterator, 'map', function* map(change) {
  let index = 0
  for (const item of this) yield change(item, index++)
})
define(iterator, 'filter', function* filter(isKept) {
  let index = 0
  for (const item of this) if (isKept(item, index++)) yield item
})
define(iterator, 'flatMap', function* flatMap(change) {
  let index = 0
  for (const item of this) yield* change(item, index++)
})
define(iterator, 'take', function* take(count) {
  if (count <= 0) return
  let left = count
  for (const item of this) {
    yield item
    left -= 1
    if (left === 0) return
  }
})
define(iterator, 'drop', function* drop(count) {
  let left = count
  for (const item of this) {
    if (left > 0) left -= 1
    else yield item
  }
})
define(iterator, 'toArray', function toArray() {
  return [...this]
})
define(iterator, 'reduce', function reduce(...args) {
  return [...this].reduce(...args)
})
define(iterator, 'some', function some(isSuch) {
  for (const item of this) if (isSuch(item)) return true
  return false
})
define(iterator, 'every', function every(isSuch) {
  for (const item of this) if (!isSuch(item)) return false
  return true
})
define(iterator, 'find', function find(isSuch) {
  for (const item of this) if (isSuch(item)) return item
  return undefined
})
define(iterator, 'forEach', function forEach(use) {
  for (const item of this) use(item)
})

/** What `using` compiles to: `a` takes an asynchronous resource, `u` another, `d` disposes of all, the last one first. */
function usingCtx() {
  const empty = {}
  const disposed = []
  const take = (isAsync) => (value) => {
    if (value != null) {
      const dispose = (isAsync && value[Symbol.asyncDispose]) || value[Symbol.dispose]
      // A file of Node 20 is closed by this method.
      const close = dispose ?? (isAsync ? value.close : undefined)
      if (typeof close !== 'function') throw new TypeError('the value cannot be disposed of')
      disposed.push({ value, close, isAsync })
    }
    return value
  }
  return {
    e: empty,
    u: take(false),
    a: take(true),
    d() {
      let error = this.e
      const next = () => {
        const resource = disposed.pop()
        if (!resource) {
          if (error !== empty) throw error
          return undefined
        }
        const failed = (reason) => {
          error =
            error === empty ? reason : Object.assign(new Error('several failed'), { error: reason, suppressed: error })
          return next()
        }
        try {
          const result = resource.close.call(resource.value)
          return resource.isAsync ? Promise.resolve(result).then(next, failed) : next()
        } catch (reason) {
          return failed(reason)
        }
      }
      return next()
    },
  }
}
globalThis.helpersOfSyntax = { usingCtx }
