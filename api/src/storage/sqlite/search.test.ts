import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EVERY_TEXT, type IndexedText } from '../model/search.ts'
import { takeOver } from './copy.ts'
import { DatabaseHealth } from './database-health.ts'
import { openDatabase } from './open-database.ts'
import { openSearch } from './search.ts'
import { WriteQueue } from './write-queue.ts'

/** Rows that one transaction may write: it takes some milliseconds. */
const ROWS_MAX = 1_100

let db: ReturnType<typeof openDatabase>
let search: ReturnType<typeof openSearch>
/** Rows that each transaction has written. */
let written: number[]

function open() {
  const queue = new WriteQueue(db, new DatabaseHealth(':memory:'), () => {})
  const write = queue.write.bind(queue)
  const total = () => Number((db.prepare('SELECT total_changes() AS n').get() as { n: number }).n)
  queue.write = (run, tookEffect) =>
    write(() => {
      const before = total()
      const result = run()
      written.push(total() - before)
      return result
    }, tookEffect)
  search = openSearch(db, queue)
}

beforeEach(() => {
  db = openDatabase(':memory:')
  written = []
  open()
})
afterEach(() => db.close())

/** An owner without a conversation has the epoch of contact messages. */
async function put(owner: string, ...texts: IndexedText[]) {
  await search.put([{ owner, epoch: '', seq: texts.length, n: 0, visitor: '', texts }])
}

const termsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`)
const textAt = (at: number, terms: string[], n = 1): IndexedText => ({ type: 'contact', n, at, terms })
const count = (table: string) =>
  Number((db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n)

/** Adds contact messages, so that results have a text. */
function contact(id: string, at: number) {
  db.prepare(
    `INSERT INTO contacts (_id, email, title, message, createdAt) VALUES (?, 'a@b', 't', 'm', ?)`,
  ).run(id, at)
}

async function owners(term: string, limit = 100): Promise<string[]> {
  const result: string[] = []
  let before: string | undefined
  do {
    const page = await search.find({ whole: [term], beginning: [] }, { limit, before })
    result.push(...page.found.map(({ owner }) => owner))
    before = page.next ?? undefined
  } while (before !== undefined)
  return result
}

describe('the search index in SQLite', () => {
  it('compares a bounded number of entries with a filter, and continues where it stopped', async () => {
    contact('oldest', 0)
    await put('oldest', textAt(0, ['a']))
    for (let from = 1; from <= 24_000; from += 1_000) {
      const texts = Array.from({ length: 1_000 }, (_, n) => textAt(from + n, ['a'], from + n))
      await put(`owner ${from}`, ...texts.map((text): IndexedText => ({ ...text, type: 'message' })))
    }
    for (const terms of [
      { whole: ['a'], beginning: [] },
      { whole: [], beginning: [] },
    ]) {
      const first = await search.find(terms, { limit: 5 })
      expect([first.found, first.exhausted]).toEqual([[], true])
      const second = await search.find(terms, { limit: 5, before: first.next ?? '' })
      expect(second.found.map(({ owner }) => owner)).toEqual(['oldest'])
      expect([second.next, second.exhausted]).toEqual([null, false])
    }
  })

  it('writes and removes long texts in small transactions', async () => {
    await put('one', ...[1, 2, 3].map((n) => textAt(n, termsOf(`text${n}x`, 4_000), n)))
    expect(count('search_terms')).toBe(12_000)
    expect(Math.max(...written)).toBeLessThanOrEqual(ROWS_MAX)
    written = []
    while (!(await search.forget('one')));
    expect(count('search_terms') + count('search_entries') + count('search_progress')).toBe(0)
    expect(Math.max(...written)).toBeLessThanOrEqual(ROWS_MAX)
  })

  it('removes the terms of one owner, and leaves those of others', async () => {
    contact('two', 2)
    await put('one', textAt(1, ['both', ...termsOf('a', 3_000)]))
    await put('two', textAt(2, ['both', ...termsOf('b', 3_000)]))
    while (!(await search.forget('one')));
    expect(count('search_terms')).toBe(3_001)
    expect(await owners('both')).toEqual(['two'])
  })

  it('continues a removal that another process began', async () => {
    await put('one', textAt(1, termsOf('a', 3_000)))
    await search.forget('one')
    open()
    while (!(await search.forget('one')));
    expect(count('search_terms')).toBe(0)
  })

  it('repeats a text that a process left half indexed', async () => {
    contact('one', 1)
    await put('one', textAt(1, ['a', 'b']))
    await put('one', textAt(1, ['a', 'b', 'c']))
    expect(await owners('a')).toEqual(['one'])
    expect(await owners('c')).toEqual(['one'])
    expect(db.prepare('SELECT max(length(slots)) AS n FROM search_terms').get()).toEqual({ n: 1 })
  })

  it('bounds what one write can touch: many terms begin another segment', async () => {
    for (let at = 1; at <= 20; at++) {
      contact(`c${at}`, at)
      await put(`c${at}`, textAt(at, ['all', ...termsOf(`t${at}x`, 4_000)]))
    }
    expect(count('search_segments')).toBeGreaterThan(2)
    const most = db.prepare('SELECT count(*) AS n FROM search_terms GROUP BY segment ORDER BY n DESC').get()
    expect((most as { n: number }).n).toBeLessThan(40_000)
    const newestFirst = Array.from({ length: 20 }, (_, index) => `c${20 - index}`)
    expect(await owners('all')).toEqual(newestFirst)
    expect(await owners('all', 3)).toEqual(newestFirst)
  })

  it('leaves no empty segment', async () => {
    for (let at = 1; at <= 20; at++) await put(`c${at}`, textAt(at, termsOf(`t${at}x`, 4_000)))
    for (let at = 1; at <= 20; at++) while (!(await search.forget(`c${at}`)));
    expect(count('search_segments')).toBe(1)
  })

  it('finds the newest first, in any order of indexing', async () => {
    const times = Array.from({ length: 60 }, (_, index) => ((index * 37) % 60) + 1)
    for (const at of times) {
      contact(`c${at}`, at)
      await put(`c${at}`, textAt(at, ['all', ...termsOf(`t${at}x`, 2_000)]))
    }
    const newestFirst = Array.from({ length: 60 }, (_, index) => `c${60 - index}`)
    expect(await owners('all', 7)).toEqual(newestFirst)
  })
})

describe('texts that are indexed long after their time, as after an import', () => {
  /** Returns the numbers from 1 to `size`, in a mixed order. */
  const mixed = (size: number) => Array.from({ length: size }, (_, index) => ((index * 7_919) % size) + 1)

  async function putMixed(size: number, from = 0) {
    const times = mixed(size)
    for (let begin = 0; begin < size; begin += 500) {
      const texts = times.slice(begin, begin + 500).map((at) => textAt(from + at, ['all', `w${at % 9}`], at))
      await put(`owner ${begin}`, ...texts.map((text): IndexedText => ({ ...text, type: 'message' })))
    }
  }

  const entries = () =>
    db.prepare('SELECT segment, at, slot FROM search_entries ORDER BY at').all() as {
      segment: number
      at: number
      slot: number
    }[]

  it('keep their times, however many there are before the first segment ends', async () => {
    contact('live', 1_000_000)
    await put('live', textAt(1_000_000, ['all']))
    await putMixed(60_000)
    expect(entries().map(({ at }) => at)).toEqual([...mixed(60_000).sort((a, b) => a - b), 1_000_000])
    const most = db.prepare('SELECT max(texts) AS n FROM search_segments').get() as { n: number }
    expect(most.n).toBeLessThanOrEqual(4_096)
    const misplaced = db
      .prepare(
        `SELECT count(*) AS n FROM search_entries e JOIN search_segments s ON s.id = e.segment
         WHERE e.at < s.since OR EXISTS (SELECT 1 FROM search_segments o WHERE o.since > s.since AND o.since <= e.at)`,
      )
      .get()
    expect(misplaced).toEqual({ n: 0 })
    expect(await owners('all', 1)).toEqual(['live'])
  })

  it('are found in the order of their times, and within a span of time', async () => {
    const times = mixed(9_000).slice(0, 4_800)
    for (const at of times) contact(`c${at}`, at)
    for (let begin = 0; begin < times.length; begin += 100) {
      await search.put(
        times.slice(begin, begin + 100).map((at) => {
          const texts = [textAt(at, ['all', `w${at % 9}`])]
          return { owner: `c${at}`, epoch: '', seq: 1, n: 0, visitor: '', texts }
        }),
      )
    }
    expect(count('search_segments')).toBeGreaterThan(1)
    const sorted = times.toSorted((a, b) => b - a)
    expect(await owners('all')).toEqual(sorted.map((at) => `c${at}`))
    expect(await owners('w4', 7)).toEqual(sorted.filter((at) => at % 9 === 4).map((at) => `c${at}`))
    const within = await search.find(
      { whole: ['w4'], beginning: [] },
      { limit: 5_000, filter: { ...EVERY_TEXT, since: 2_000, until: 2_100 } },
    )
    expect(within.found.map(({ at }) => at)).toEqual(
      sorted.filter((at) => at % 9 === 4 && at >= 2_000 && at < 2_100),
    )
  })

  it('are removed, also when their segment is split during the removal', async () => {
    await put('one', textAt(8_000, termsOf('a', 3_000)), textAt(9_000, termsOf('b', 3_000), 2))
    expect(await search.forget('one')).toBe(false)
    await putMixed(5_000)
    while (!(await search.forget('one')));
    const left = db.prepare("SELECT count(*) AS n FROM search_terms WHERE term LIKE 'a%' AND term <> 'all'")
    expect(left.get()).toEqual({ n: 0 })
    expect(db.prepare("SELECT count(*) AS n FROM search_terms WHERE term LIKE 'b%'").get()).toEqual({ n: 0 })
    expect(entries()).toHaveLength(5_000)
  })
})

describe('a store that has messages and no index', () => {
  it('is divided into segments by their times', () => {
    db.exec('DELETE FROM search_segments')
    const add = db.prepare(
      `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, visitorRead, adminRead, adminReadCount)
       VALUES (?, 'e', 100, ?, 100, 0, 0, 0)`,
    )
    for (let index = 1; index <= 100; index++) add.run(`c${index}`, index * 1_000)
    open()
    expect(count('search_segments')).toBeGreaterThan(8)
    expect(db.prepare('SELECT min(since) AS n FROM search_segments').get()).toEqual({ n: 0 })
  })
})

it('is divided by time again after a copy into a store that a server has opened', async () => {
  const conversation = db.prepare(
    `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount) VALUES (?, 'e', 2000, ?, 0)`,
  )
  for (const at of [1, 2, 3]) conversation.run(`visitor${at}`, at)
  db.exec(`INSERT INTO filling (state, source, salt) VALUES ('filled', 's', '')`)
  expect(count('search_segments')).toBe(1)
  takeOver(db)
  open()
  expect(count('search_segments')).toBeGreaterThan(1)
})
