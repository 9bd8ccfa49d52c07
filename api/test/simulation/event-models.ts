import { CLAIM_RULES, type ClaimRules, claimsModel } from './claims-model.ts'
import { deliveryModel } from './delivery-model.ts'
import { DELIVERY_RULES, type DeliveryBounds, type DeliveryRules } from './delivery-state.ts'
import { type Explored, explore } from './explore.ts'
import {
  NUMBERING_RULES,
  type NumberingBounds,
  type NumberingRules,
  numberingModel,
} from './numbering-model.ts'

/** Explores the delivery by the product's rules, but for one that is left out. */
export function exploreDelivery(bounds: Partial<DeliveryBounds>, without?: keyof DeliveryRules): Explored {
  const rules = without === undefined ? DELIVERY_RULES : { ...DELIVERY_RULES, [without]: false }
  return explore(deliveryModel(rules, { ...ONE_CONVERSATION, ...bounds }))
}

export function exploreNumbering(bounds: NumberingBounds, without?: keyof NumberingRules): Explored {
  const rules = without === undefined ? NUMBERING_RULES : { ...NUMBERING_RULES, [without]: false }
  return explore(numberingModel(rules, bounds))
}

export function exploreClaims(without?: keyof ClaimRules): Explored {
  return explore(claimsModel(without === undefined ? CLAIM_RULES : { ...CLAIM_RULES, [without]: false }))
}

const ONE_CONVERSATION: DeliveryBounds = {
  ...{ events: 2, each: 3, conversations: 1, step: 2, failures: 1, replays: 0, failover: false },
}

/** What each test run explores: some seconds. */
export const SMALL: Readonly<Record<string, () => Explored>> = {
  'claims of a job': () => exploreClaims(),
  'numbers of two conversations with three events': () =>
    exploreNumbering({ histories: ['mm', 'm'], failover: false }),
  'numbers of a message, an entry, and an erase': () =>
    exploreNumbering({ histories: ['meE', ''], failover: false }),
  'delivery of two conversations with three events': () => exploreDelivery({ events: 3, conversations: 2 }),
}

/** What the nightly test run explores too: about a minute. */
export const LARGE: Readonly<Record<string, () => Explored>> = {
  'numbers of two conversations with four events': () =>
    exploreNumbering({ histories: ['mm', 'mm'], failover: false }),
  'numbers of messages and an entry': () => exploreNumbering({ histories: ['mem', 'm'], failover: false }),
  'numbers around an erase': () => exploreNumbering({ histories: ['mEm', 'm'], failover: false }),
  'numbers after a failover': () => exploreNumbering({ histories: ['mm', 'm'], failover: true }),
  'delivery of two conversations with four events': () => exploreDelivery({ events: 4, conversations: 2 }),
  'delivery after a failover': () => exploreDelivery({ failover: true }),
  'delivery with two replays': () => exploreDelivery({ replays: 2 }),
}

const THREE = { events: 3, each: 3 }
const TWO_MESSAGES: NumberingBounds = { histories: ['mm', ''], failover: false }
const TWO_AND_ONE: NumberingBounds = { histories: ['mm', 'm'], failover: false }

/** For each rule, what finds a violation when the rule is left out. */
export const DELIVERY_WITHOUT: Readonly<Record<keyof DeliveryRules, Partial<DeliveryBounds>>> = {
  leaves: THREE,
  leavingChanges: THREE,
  putsEarlier: { replays: 1, failures: 2 },
  keeps: THREE,
  comparesRetry: THREE,
  comparesPosition: {},
  movesLast: {},
  asksForRetry: { failover: true },
  asksForNext: { failover: true },
  comparesReplay: { replays: 2 },
  replayWaits: { ...THREE, replays: 1, step: 1 },
}

export const NUMBERING_WITHOUT: Readonly<Record<keyof NumberingRules, NumberingBounds>> = {
  marksWithWrite: TWO_MESSAGES,
  readsMajority: { histories: ['m', ''], failover: true },
  readsBefore: TWO_MESSAGES,
  readsMessagesOfEntries: { histories: ['me', ''], failover: false },
  waitsForErase: { histories: ['mEm', ''], failover: false },
  ordersBySequence: TWO_MESSAGES,
  uniqueNumber: TWO_AND_ONE,
  uniqueSource: TWO_MESSAGES,
  stopsAtRefusal: TWO_AND_ONE,
  unmarksLast: TWO_MESSAGES,
  numbersBeforeRemoval: { histories: ['mE', ''], failover: false },
}

/** Returns the shortest trace to a violation without one of the rules. */
export function exploreWithout(rule: string): string[] {
  return exploredWithout(rule).violation ?? []
}

function exploredWithout(rule: string): Explored {
  if (isOf(DELIVERY_WITHOUT, rule)) return exploreDelivery(DELIVERY_WITHOUT[rule], rule)
  if (isOf(NUMBERING_WITHOUT, rule)) return exploreNumbering(NUMBERING_WITHOUT[rule], rule)
  if (isOf(CLAIM_RULES, rule)) return exploreClaims(rule)
  const rules = [DELIVERY_WITHOUT, NUMBERING_WITHOUT, CLAIM_RULES].flatMap((of) => Object.keys(of))
  throw new Error(`--without must be one of ${rules.join(', ')}.`)
}

function isOf<Rules extends object>(rules: Rules, rule: string): rule is keyof Rules & string {
  return rule in rules
}
