import { registerHooks } from 'node:module'

// Loaded before a program, and in its threads: makes the optional package of local models unavailable.

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.includes('onnxruntime-node')) throw new Error(`Cannot find package '${specifier}'`)
    return next(specifier, context)
  },
})
