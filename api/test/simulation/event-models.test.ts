import { expect, it } from 'vitest'
import { CLAIM_RULES, type ClaimRules } from './claims-model.ts'
import type { DeliveryRules } from './delivery-state.ts'
import {
  DELIVERY_WITHOUT,
  exploreClaims,
  exploreDelivery,
  exploreNumbering,
  NUMBERING_WITHOUT,
  SMALL,
} from './event-models.ts'
import type { NumberingBounds, NumberingRules } from './numbering-model.ts'

it.each(Object.entries(SMALL))('%s: all states keep what is promised, and lead to the end', (_, run) => {
  const { states, violation } = run()
  expect(violation).toBeNull()
  expect(states).toBeGreaterThan(1_000)
})

const WRONG_DELIVERY: Readonly<Record<keyof DeliveryRules, RegExp>> = {
  leaves: /^event 2 of x is taken before event 1$/,
  leavingChanges: /^event \d of x is lost$/,
  putsEarlier: /^event 1 of x is not posted again$/,
  keeps: /^event \d of x is lost$/,
  comparesRetry: /^event \d of x is lost$/,
  comparesPosition: /^the position goes back$/,
  movesLast: /^event 1 of x is lost$/,
  asksForRetry: /^event 2 of x is taken before event 1$/,
  asksForNext: /^event 1 of x is lost$/,
  comparesReplay: /^event 1 of x is not posted again$/,
  replayWaits: /^event 3 of x is taken before event 2$/,
}
it.each(entriesOf(DELIVERY_WITHOUT))('the delivery breaks without the rule `%s`', (rule, bounds) => {
  expect(exploreDelivery(bounds, rule).violation?.at(-1)).toMatch(WRONG_DELIVERY[rule])
})

const WRONG_NUMBERS: Readonly<Record<keyof NumberingRules, RegExp>> = {
  marksWithWrite: /^x1 gets no number$/,
  readsMajority: /^the event of x1 reports what a failover has taken back$/,
  readsBefore: /^x2 has its number before x1$/,
  readsMessagesOfEntries: /^x2 has its number before x1$/,
  waitsForErase: /^x3 has its number before x[12]$/,
  ordersBySequence: /^x2 has its number before x1$/,
  uniqueNumber: /^event 2 has the number 1$/,
  uniqueSource: /^x1 has two events$/,
  stopsAtRefusal: /^event 2 has the number 3$/,
  unmarksLast: /^x1 gets no number$/,
  numbersBeforeRemoval: /^x1 gets no number$/,
}
it.each<[keyof NumberingRules, NumberingBounds]>(entriesOf(NUMBERING_WITHOUT))(
  'the numbering breaks without the rule `%s`',
  (rule, bounds) => {
    expect(exploreNumbering(bounds, rule).violation?.at(-1)).toMatch(WRONG_NUMBERS[rule])
  },
)

const TWICE = 'two nodes run the job, and neither was stopped'
const NEVER = 'nothing can happen'
const WRONG_CLAIMS: Readonly<Record<keyof ClaimRules, string>> = {
  ...{ schedulesAfter: NEVER, claimsFree: TWICE, takesOver: NEVER, comparesAtTakeover: TWICE },
  ...{ comparesAtRenewal: TWICE, comparesAtEnd: TWICE, comparesRevision: NEVER, runsAgain: NEVER },
}
it.each(entriesOf(CLAIM_RULES))('claims break without the rule `%s`', (rule) => {
  expect(exploreClaims(rule).violation?.at(-1)).toBe(WRONG_CLAIMS[rule])
})

function entriesOf<Rule extends string, Value>(of: Readonly<Record<Rule, Value>>): [Rule, Value][] {
  return Object.entries(of) as [Rule, Value][]
}
