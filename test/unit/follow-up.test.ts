import { expect, test } from 'vitest'
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { inContext } from '../../src/domain/answer/follow-up.ts'

const led = { q: 'Who leads the harbour office of Bergen?', answer: 'The office is led by Ada Lindqvist. [1]' }
const ferry = { q: 'Where was the ferry Harbour Queen built?', answer: 'It was built by Nordvik Marine. [1]' }
const small = { q: 'how many ferries sail on weekdays?', answer: 'Twelve. [1]' }

test.each([
  ['When did she start?', [led], 'When did Ada Lindqvist start?'],
  ['What is her phone number?', [led], "What is Ada Lindqvist's phone number?"],
  ['Who hired him?', [led], 'Who hired Ada Lindqvist?'],
  ['When does it open?', [led], 'When does Bergen open?'],
  ['How long is it?', [ferry], 'How long is Harbour Queen?'],
  ['What is its speed?', [led, ferry], "What is Harbour Queen's speed?"],
  ['What about Oslo?', [led], 'Who leads the harbour office of Oslo?'],
  ['And in Stavanger?', [led], 'Who leads the harbour office of Stavanger?'],
  ['And on Sundays?', [small], 'how many ferries sail on weekdays on Sundays?'],
  ['how about holidays?', [small], 'how many ferries sail on weekdays holidays?'],
  ['When did she start?', [led, small], 'When did Ada Lindqvist start?'],
  // These say everything themselves.
  ['Where does Mira Holm keep her boat?', [led], 'Where does Mira Holm keep her boat?'],
  ['And who built the Harbour Queen?', [led], 'And who built the Harbour Queen?'],
  ['When does the museum open?', [led], 'When does the museum open?'],
  ['When did she start?', [], 'When did she start?'],
])('%s is understood', (question, history, meant) => {
  expect(inContext(textAnalysis, question, history)).toBe(meant)
})
