import fc from 'fast-check'
import { propertySeed } from './amounts.ts'

// Of all properties that name none.
fc.configureGlobal({ seed: propertySeed })
