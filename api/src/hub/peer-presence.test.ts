import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createElsewhere, type Elsewhere, type News } from './peer-presence.ts'

interface Node {
  elsewhere: Elsewhere
  /** Who is here. */
  visitors: Set<string>
  admins: boolean
  /** What it learned of others. */
  facts: string[]
  said: News[]
  come(clientId: string): void
  go(clientId: string): void
}

let nodes: Node[]
/** What is said goes nowhere meanwhile. */
let isCut: boolean
beforeEach(() => {
  vi.useFakeTimers()
  nodes = []
  isCut = false
})
afterEach(() => {
  vi.useRealTimers()
})

function start(): Node {
  const node: Node = {
    visitors: new Set(),
    admins: false,
    facts: [],
    said: [],
    elsewhere: createElsewhere({
      say(news) {
        node.said.push(news)
        if (isCut) return
        // As over a wire: the others get a copy.
        const copy = JSON.parse(JSON.stringify(news)) as News
        for (const other of nodes) if (other !== node) other.elsewhere.hear(copy)
      },
      here: () => node,
      onVisitor: (clientId, online) => node.facts.push(`${clientId} ${online ? 'came' : 'left'}`),
      onAdmins: (online) => node.facts.push(`admins ${online ? 'came' : 'left'}`),
      graceMs: 5_000,
    }),
    come(clientId) {
      node.visitors.add(clientId)
      node.elsewhere.visitorChanged(clientId, true)
    },
    go(clientId) {
      node.visitors.delete(clientId)
      node.elsewhere.visitorChanged(clientId, false)
    },
  }
  nodes.push(node)
  return node
}

/** Gone without a word. */
function kill(node: Node): void {
  nodes = nodes.filter((each) => each !== node)
  isCut = true
  node.elsewhere.leave()
  isCut = false
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('what a process knows of the others', () => {
  it('is who came and left there, in order', async () => {
    const [a, b] = [start(), start()]
    a.come('ann')
    a.admins = true
    a.elsewhere.adminsChanged()
    await pass(1_000)
    expect(b.facts.sort()).toEqual(['admins came', 'ann came'])
    expect([b.elsewhere.hasVisitor('ann'), b.elsewhere.hasAdmin()]).toEqual([true, true])
    a.go('ann')
    await pass(1_000)
    expect(b.facts.at(-1)).toBe('ann left')
    expect(a.facts).toEqual([])
  })

  it('counts somebody who is on two of them until the last is left', async () => {
    const [a, b, c] = [start(), start(), start()]
    a.come('ann')
    b.come('ann')
    await pass(1_000)
    a.go('ann')
    await pass(1_000)
    expect(c.facts).toEqual(['ann came'])
    b.go('ann')
    await pass(1_000)
    expect(c.facts).toEqual(['ann came', 'ann left'])
  })

  it('is everything, soon after somebody came to it and within some seconds otherwise', async () => {
    const a = start()
    a.come('ann')
    await pass(60_000)
    a.come('bob')
    a.admins = true
    await pass(60_000)
    const b = start()
    b.come('eve')
    await pass(1_000)
    expect(b.facts.sort()).toEqual(['admins came', 'ann came', 'bob came'])
    const c = start()
    await pass(12_000)
    expect(c.facts.sort()).toEqual(['admins came', 'ann came', 'bob came', 'eve came'])
  })

  it('is told in a few words while nothing happens, however many are there', async () => {
    const [a, b] = [start(), start()]
    for (let count = 0; count < 10_000; count += 1) a.come(`visitor${count}`)
    await pass(1_000)
    expect(b.elsewhere.hasVisitor('visitor9999')).toBe(true)
    a.said.length = 0
    await pass(60_000)
    expect(a.said.length).toBeGreaterThanOrEqual(5)
    expect(JSON.stringify(a.said).length).toBeLessThan(1_000)
  })

  it('is right again once something got lost', async () => {
    const [a, b] = [start(), start()]
    a.come('ann')
    await pass(1_000)
    isCut = true
    a.go('ann')
    a.come('bob')
    await pass(1_000)
    isCut = false
    await pass(12_000)
    expect([b.elsewhere.hasVisitor('ann'), b.elsewhere.hasVisitor('bob')]).toEqual([false, true])
    expect(b.facts.sort()).toEqual(['ann came', 'ann left', 'bob came'])
  })

  it('is forgotten half a minute after it fell silent, and learned anew when it is heard again', async () => {
    const [a, b] = [start(), start()]
    a.come('ann')
    b.come('eve')
    await pass(1_000)
    isCut = true
    await pass(31_000)
    expect([a.facts, b.facts]).toEqual([
      ['eve came', 'eve left'],
      ['ann came', 'ann left'],
    ])
    isCut = false
    await pass(12_000)
    expect([a.facts.at(-1), b.facts.at(-1)]).toEqual(['eve came', 'ann came'])
  })

  it('ends half a minute after it was killed', async () => {
    const [a, b] = [start(), start()]
    a.come('ann')
    await pass(1_000)
    kill(a)
    await pass(20_000)
    expect(b.facts).toEqual(['ann came'])
    await pass(12_000)
    expect(b.facts).toEqual(['ann came', 'ann left'])
  })

  it('ends soon when it says goodbye, and those who have moved over never left', async () => {
    const [a, b, c] = [start(), start(), start()]
    a.come('ann')
    a.come('bob')
    await pass(1_000)
    a.elsewhere.leave()
    nodes = nodes.filter((node) => node !== a)
    b.come('ann')
    await pass(8_000)
    expect(c.facts).toEqual(['ann came', 'bob came', 'bob left'])
  })
})
