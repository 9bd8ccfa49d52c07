import type { Random } from '../faults/random.ts'

/** Returns an input that is a little different. `other` is another input of the corpus. */
export type Mutator = (input: Buffer, other: Buffer) => Buffer

const BYTES = [0, 1, 9, 10, 13, 0x20, 0x22, 0x27, 0x2d, 0x3c, 0x3d, 0x5c, 0x7f, 0x80, 0xc3, 0xed, 0xff]
const NUMBERS = [
  '0',
  '-1',
  '1',
  '255',
  '65536',
  '2147483648',
  '9007199254740993',
  '1e309',
  '0x10',
  '1.5',
  'NaN',
]
const COPIES_MAX = 200

/** Changes bytes, words, and pieces. `words` are words that the code may look for. */
export function createByteMutator(random: Random, words: readonly string[], bytesMax: number): Mutator {
  const at = (input: Buffer) => random.integer(0, input.length)
  const piece = (input: Buffer) => {
    const from = at(input)
    return { from, to: Math.min(input.length, from + 1 + Math.floor(random.next() ** 3 * input.length)) }
  }
  const replaced = (input: Buffer, from: number, to: number, by: Buffer | string) =>
    Buffer.concat([input.subarray(0, from), Buffer.from(by), input.subarray(to)])
  const word = () => (words.length === 0 ? 'x' : random.pick(words))

  const changes: ((input: Buffer, other: Buffer) => Buffer)[] = [
    (input) => {
      const changed = Buffer.from(input)
      const where = random.integer(0, Math.max(0, input.length - 1))
      if (input.length > 0) changed[where] = (changed[where] ?? 0) ^ (1 << random.integer(0, 7))
      return changed
    },
    (input) => {
      const from = at(input)
      return replaced(input, from, from + random.integer(0, 1), Buffer.from([random.pick(BYTES)]))
    },
    (input) => {
      const from = at(input)
      return replaced(input, from, from, Buffer.from([random.integer(0, 255)]))
    },
    (input) => {
      const { from, to } = piece(input)
      return replaced(input, from, to, '')
    },
    (input) => {
      const { from, to } = piece(input)
      const times = random.chance(0.1) ? random.integer(2, COPIES_MAX) : 1
      const copies = Array.from({ length: times }, () => input.subarray(from, to))
      return replaced(input, to, to, Buffer.concat(copies))
    },
    (input) => {
      const { from, to } = piece(input)
      const where = at(input)
      return replaced(input, where, where, input.subarray(from, to))
    },
    (input) => {
      const where = at(input)
      return replaced(input, where, where, word())
    },
    (input) => {
      const where = at(input)
      const by = word()
      return replaced(input, where, where + by.length, by)
    },
    (input) => {
      // A word that is there already gives way to another one.
      const text = input.toString('latin1')
      const found = [...text.matchAll(/[\w./-]{2,40}/g)]
      if (found.length === 0) return input
      const { index, 0: old } = random.pick(found)
      return replaced(input, index, index + old.length, /^\d+$/.test(old) ? random.pick(NUMBERS) : word())
    },
    (input, other) => {
      const { from, to } = piece(other)
      const into = piece(input)
      return replaced(input, into.from, random.chance(0.5) ? into.from : into.to, other.subarray(from, to))
    },
    (input, other) => Buffer.concat([input.subarray(0, at(input)), other.subarray(at(other))]),
  ]
  return (input, other) => {
    let changed = input
    const times = 1 << random.integer(0, 3)
    for (let time = 0; time < times; time += 1) {
      changed = random.pick(changes)(changed, other).subarray(0, bytesMax)
    }
    return changed
  }
}
