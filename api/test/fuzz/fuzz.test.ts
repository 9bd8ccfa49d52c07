import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../faults/random.ts'
import { createCoverage } from './coverage-map.ts'
import { COUNTERS, instrument, wordsIn } from './instrument.ts'
import { fuzz, minimized, smallestCover, type Target } from './loop.ts'
import { createByteMutator, type Mutator } from './mutate.ts'
import { createJsonMutator } from './mutate-json.ts'

/** Runs an instrumented source, and returns its result and how often each of its blocks ran. */
function run(source: string): { result: unknown; counts: number[] } {
  let used = 0
  const counts = new Uint8Array(100)
  const text = instrument('a.ts', source, () => used++)
  expect(text.split('\n')).toHaveLength(source.split('\n').length)
  const result = new Function(COUNTERS, `${text.replace('export const result =', 'return')}`)(counts)
  return { result, counts: [...counts.subarray(0, used)] }
}

describe('an instrumented source', () => {
  it.each([
    ['function f(a) { if (a) return 1; return 2 }\nexport const result = [f(1), f(0)]', [1, 2]],
    ['const f = (a) => a ? { b: 1 } : () => 2\nexport const result = [f(1), f(0)()]', [{ b: 1 }, 2]],
    [
      'let s = 0\nfor (const a of [1, 2]) for (let b = 0; b < 2; b++) if (b) s += a; else s -= 1\nexport const result = s',
      1,
    ],
    [
      'let s = ""; for (const k in { a: 1 }) s += k\nwhile (s.length < 3) s += "b"\ndo s += "c"; while (0)\nexport const result = s',
      'abbc',
    ],
    [
      'const f = (a) => { switch (a) { case 1: { a = 2 } case 2: return "b"; case 3: default: return "c" } }\nexport const result = [f(1), f(3)]',
      ['b', 'c'],
    ],
    ['function f() { "use strict"; return this }\nexport const result = f()', undefined],
    [
      'if (0) 1\nelse if (1) 2\nelse 3\nlabel: for (;;) { if (1) break label }\nexport const result = null ?? (0 || (1 && 5))',
      5,
    ],
    [
      'class A { #x = 1; constructor() { try { throw 1 } catch { this.y = 2 } } get z() { return this.#x + this.y } }\nexport const result = new A().z',
      3,
    ],
    ['// 😀 é\nconst f = async (a) => a && await a\nexport const result = typeof f', 'function'],
  ])('does what it did: %j', (source, expected) => {
    expect(run(source).result).toEqual(expected)
  })

  it('counts how often each block ran, also where no branch is written', () => {
    expect(
      run('let s = 0\nfor (const a of [1, 2, 3]) if (a > 1) s += a\nexport const result = s').counts,
    ).toEqual(expect.arrayContaining([3, 2, 1]))
    expect(run('const f = (a) => a || 2\nexport const result = [f(1), f(0)]').counts).toEqual([2, 1])
  })

  it('keeps what it cannot parse', () => {
    expect(instrument('a.js', 'let =', () => 0)).toBe('let =')
  })

  it('gives its strings as words', () => {
    expect(wordsIn(`a === 'base64' || b === "x-y" || 'z'`)).toEqual(['base64', 'x-y'])
  })
})

/** Fails at a word of which each letter is a block of its own. */
function target(word: string) {
  const counts = new Uint8Array(64)
  const coverage = createCoverage(
    counts,
    () => 64,
    () => [],
  )
  const opened: Target = {
    async run(input) {
      for (const [index, letter] of [...word].entries()) {
        if (input[index] !== letter.charCodeAt(0)) return undefined
        counts[index] = 1
      }
      throw new Error('The word was found.')
    },
    close: async () => {},
  }
  return { target: opened, coverage }
}

const seeded = (words: string[] = []) => {
  const random = createRandom(1, 'test')
  return { random, mutate: createByteMutator(random, words, 100) }
}

describe('fuzzing', () => {
  it('finds what only coverage leads to, and the same by the same seed', async () => {
    const search = async () => {
      const { found, runs } = await fuzz({
        ...{ ...target('seek'), ...seeded(), corpus: [Buffer.from('x')], ms: 60_000, runs: 200_000 },
      })
      return { input: found?.input.toString('latin1'), runs }
    }
    const first = await search()
    expect(first.input).toMatch(/^seek/)
    expect(await search()).toEqual(first)
  })

  it('reports an error that no one handles, and a changed prototype', async () => {
    const faults: (() => void)[] = [
      () => void Promise.reject(new Error('lost')),
      () => Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true }),
    ]
    for (const fault of faults) {
      const { coverage } = target('')
      const opened: Target = { run: async () => void fault(), close: async () => {} }
      const { found } = await fuzz({
        target: opened,
        coverage,
        ...seeded(),
        corpus: [Buffer.from('a')],
        ms: 0,
      })
      expect(found?.error.message).toMatch(/lost|prototype/)
    }
    Reflect.deleteProperty(Object.prototype, 'polluted')
  })

  it('reports an input that takes too much time', async () => {
    const { coverage } = target('')
    const opened: Target = {
      async run() {
        const until = performance.now() + 20
        while (performance.now() < until);
        return undefined
      },
      cpuMsMax: () => 1,
      close: async () => {},
    }
    const { found } = await fuzz({ target: opened, coverage, ...seeded(), corpus: [Buffer.from('a')], ms: 0 })
    expect(found?.error.message).toBe('Slow: more than 1 ms of processor time for 1 bytes.')
  })

  it('makes an input as small as it can', async () => {
    const isSame = async (input: Buffer) => input.includes('ab') && input.includes('c')
    expect(String(await minimized(Buffer.from('xxxabxxxxxxcx'), isSame, 60_000))).toBe('abc')
  })

  it('keeps the smallest inputs that reach as much', async () => {
    const inputs = ['sx', 's', 'seex', 'see', 'no'].map((text) => Buffer.from(text))
    const kept = async (bytesMax: number) =>
      (await smallestCover(target('seek'), inputs, bytesMax)).map(String)
    expect(await kept(100)).toEqual(['see'])
    expect(await kept(2)).toEqual(['s'])
  })
})

it('keeps less than 100 KB, with inputs for each target', () => {
  const targets = readdirSync(join(import.meta.dirname, 'targets')).map((file) => basename(file, '.ts'))
  const sizes = targets.map((name) => {
    const dir = join(import.meta.dirname, 'corpus', name)
    return readdirSync(dir).map((file) => statSync(join(dir, file)).size)
  })
  expect(Math.min(...sizes.map(({ length }) => length))).toBeGreaterThan(0)
  expect(sizes.flat().reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
})

describe('mutations', () => {
  const many = (mutate: Mutator, input: string) =>
    Array.from({ length: 3_000 }, () => String(mutate(Buffer.from(input), Buffer.from('["other"]'))))

  it('stay within the limit, and use the words', () => {
    const inputs = many(seeded(['WORD']).mutate, 'a b c')
    expect(Math.max(...inputs.map((input) => Buffer.byteLength(input)))).toBeLessThanOrEqual(300)
    expect(inputs.some((input) => input.includes('WORD'))).toBe(true)
  })

  it('change JSON inside its lines, so that it stays JSON', () => {
    const { random, mutate } = seeded()
    const inputs = many(createJsonMutator(random, ['WORD'], 1_000, mutate), 'POST /a\n{"a":[1,{"b":"c"}]}')
    const bodies = inputs.map((input) => input.split('\n')[1] ?? '')
    const isJson = (text: string) => {
      try {
        return JSON.parse(text) !== undefined
      } catch {
        return false
      }
    }
    expect(bodies.filter(isJson).length).toBeGreaterThan(1_000)
    expect(bodies.some((body) => isJson(body) && body.includes('"__proto__"'))).toBe(true)
  })
})
