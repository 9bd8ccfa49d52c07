import type { Random } from '../faults/random.ts'
import type { Mutator } from './mutate.ts'

type Json = unknown
type Holder = Record<string, Json> | Json[]

const ODD: Json[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 1e300, -0, 2 ** 31, 2 ** 53, Date.UTC(2026, 0, 1)],
  ...[
    '',
    ' ',
    '0',
    '\u0000',
    '\ud800',
    '\u202e',
    '\n',
    '😀',
    '<b>',
    '{name}',
    '../..',
    '__proto__',
    'x'.repeat(300),
  ],
  ...[[], {}, [[]], [null], { $ne: null }, { toString: 1 }, { length: 1 }, { __proto__: null, a: 1 }],
]
const KEYS = ['__proto__', 'constructor', 'toJSON', 'length', '$where', '', '0']
const DEPTH = 2_000

/**
 * Changes values inside the JSON of a line, or the order of the lines. An input is text of which some lines end with
 * JSON. Falls back to `otherwise` where there is none.
 */
export function createJsonMutator(
  random: Random,
  words: readonly string[],
  bytesMax: number,
  otherwise: Mutator,
): Mutator {
  function changedLine(line: string, other: string): string | null {
    const start = line.search(/[[{]/)
    if (start < 0) return null
    const [value, donor] = [parsed(line.slice(start)), parsed(other.slice(Math.max(0, other.search(/[[{]/))))]
    if (value === undefined) return null
    const holder: Holder = [value]
    const times = random.integer(1, 3)
    try {
      for (let time = 0; time < times; time += 1) changeIn(holder, donor)
      return line.slice(0, start) + JSON.stringify(holder[0] ?? null)
    } catch (error) {
      // The value is too deep for these functions.
      if (error instanceof RangeError) return null
      throw error
    }
  }

  function changeIn(root: Holder, donor: Json): void {
    const place = random.pick(placesIn(root))
    const { holder, key } = place
    if (random.chance(0.1) && holder !== root) {
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
    } else setAt(holder, key, random.pick(CHANGES)(valueIn(place), root, donor))
  }

  /** Each returns what takes the place of a value. */
  const CHANGES: ((value: Json, root: Holder, donor: Json) => Json)[] = [
    () => odd(),
    () => word(),
    (_, root) => structuredClone(valueIn(random.pick(placesIn(root)))),
    (_, __, donor) => (donor === undefined ? null : structuredClone(valueIn(random.pick(placesIn([donor]))))),
    (value) => {
      if (Array.isArray(value)) value.push(odd(), ...structuredClone(value.slice(0, 2)))
      else if (isHolder(value)) setAt(value, random.chance(0.3) ? random.pick(KEYS) : word(), odd())
      else return [value]
      return value
    },
    (value) => (typeof value === 'number' ? value + random.pick([-1, 1, 0.5]) : odd()),
    (value) => {
      if (typeof value !== 'string') return JSON.stringify(value).slice(0, 100)
      const at = random.integer(0, value.length)
      const more = random.chance(0.5) ? word() : JSON.stringify(odd()).slice(0, 300)
      return value.slice(0, at) + more + value.slice(at + random.integer(0, 3))
    },
    // A browser's JSON is never this deep.
    (value) => (random.chance(0.1) ? nested(DEPTH) : [value, structuredClone(value)]),
  ]

  // Copies, because a value that has two places would change in both.
  const odd = () => structuredClone(random.pick(ODD))
  const word = () => (words.length === 0 ? 'x' : random.pick(words))

  return (input, other) => {
    if (random.chance(0.2)) return otherwise(input, other)
    const lines = linesOf(input)
    const others = linesOf(other)
    const at = random.integer(0, lines.length - 1)
    const line = lines[at] ?? Buffer.alloc(0)
    if (lines.length > 1 && random.chance(0.2)) {
      // Lines are removed, repeated, moved, and taken from the other input.
      const rest = lines.toSpliced(at, 1)
      const kind = random.integer(0, 3)
      if (kind === 0) lines.splice(at, 1)
      else if (kind === 1) lines.splice(at, 0, line)
      else if (kind === 2) lines.splice(at, 0, random.pick(others))
      else lines.splice(0, lines.length, ...rest.toSpliced(random.integer(0, rest.length), 0, line))
    } else {
      const changed = changedLine(line.toString(), random.pick(others).toString())
      if (changed === null) return otherwise(input, other)
      lines[at] = Buffer.from(changed)
    }
    const joined = lines.flatMap((each, index) => (index === 0 ? [each] : [Buffer.from('\n'), each]))
    return Buffer.concat(joined).subarray(0, bytesMax)
  }
}

function linesOf(input: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let at = input.indexOf(10); at >= 0; at = input.indexOf(10, from)) {
    lines.push(input.subarray(from, at))
    from = at + 1
  }
  return [...lines, input.subarray(from)]
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isHolder = (value: Json): value is Holder => typeof value === 'object' && value !== null
const valueAt = (holder: Holder, key: string): Json => (holder as Record<string, Json>)[key]
const valueIn = ({ holder, key }: Place) => valueAt(holder, key)

/** Also sets `__proto__` as a field of its own. */
function setAt(holder: Holder, key: string, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

interface Place {
  holder: Holder
  key: string
}

/** Every value with what holds it. */
function placesIn(root: Holder): Place[] {
  const places: Place[] = []
  const waiting: Holder[] = [root]
  for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      places.push({ holder, key })
      if (isHolder(value)) waiting.push(value)
    }
  }
  return places
}

function nested(depth: number): Json {
  let value: Json = []
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
