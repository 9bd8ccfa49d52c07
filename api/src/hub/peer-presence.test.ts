import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPeerPresence, type PeerPresence, type PeerPresenceEvent } from './peer-presence.ts'

interface Node {
  peers: PeerPresence
  /** Local presence. */
  visitors: Set<string>
  admins: boolean
  /** Changes on its peers. */
  facts: string[]
  emitted: PeerPresenceEvent[]
  come(clientId: string): void
  go(clientId: string): void
}

let nodes: Node[]
/** While true, events are lost. */
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
    emitted: [],
    peers: createPeerPresence({
      emit(event) {
        node.emitted.push(event)
        if (isCut) return
        // A copy, as over the network.
        const copy = JSON.parse(JSON.stringify(event)) as PeerPresenceEvent
        for (const other of nodes) if (other !== node) other.peers.receive(copy)
      },
      local: () => node,
      onVisitor: (clientId, online) => node.facts.push(`${clientId} ${online ? 'came' : 'left'}`),
      onAdmins: (online) => node.facts.push(`admins ${online ? 'came' : 'left'}`),
      graceMs: 5_000,
    }),
    come(clientId) {
      node.visitors.add(clientId)
      node.peers.visitorChanged(clientId, true)
    },
    go(clientId) {
      node.visitors.delete(clientId)
      node.peers.visitorChanged(clientId, false)
    },
  }
  nodes.push(node)
  return node
}

/** Ends the node without its `gone` event. */
function kill(node: Node): void {
  nodes = nodes.filter((each) => each !== node)
  isCut = true
  node.peers.leave()
  isCut = false
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('peer presence', () => {
  it('follows the visitors and admins who come and leave', async () => {
    const [a, b] = [start(), start()]
    a.come('ann')
    a.admins = true
    a.peers.adminsChanged()
    await pass(1_000)
    expect(b.facts.sort()).toEqual(['admins came', 'ann came'])
    expect([b.peers.hasVisitor('ann'), b.peers.hasAdmin()]).toEqual([true, true])
    a.go('ann')
    await pass(1_000)
    expect(b.facts.at(-1)).toBe('ann left')
    expect(a.facts).toEqual([])
  })

  it('counts a visitor on two nodes until both are left', async () => {
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

  it('reaches a new node soon after its first visitor, or else with the next heartbeat', async () => {
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

  it('costs less than 1,000 bytes a minute while nothing changes, even with 10,000 visitors', async () => {
    const [a, b] = [start(), start()]
    for (let count = 0; count < 10_000; count += 1) a.come(`visitor${count}`)
    await pass(1_000)
    expect(b.peers.hasVisitor('visitor9999')).toBe(true)
    a.emitted.length = 0
    await pass(60_000)
    expect(a.emitted.length).toBeGreaterThanOrEqual(5)
    expect(JSON.stringify(a.emitted).length).toBeLessThan(1_000)
  })

  it('recovers from lost events', async () => {
    const [a, b] = [start(), start()]
    a.come('ann')
    await pass(1_000)
    isCut = true
    a.go('ann')
    a.come('bob')
    await pass(1_000)
    isCut = false
    await pass(12_000)
    expect([b.peers.hasVisitor('ann'), b.peers.hasVisitor('bob')]).toEqual([false, true])
    expect(b.facts.sort()).toEqual(['ann came', 'ann left', 'bob came'])
  })

  it('is dropped 30 s after the last event of a node, and restored by its next one', async () => {
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

  it('ends 30 s after the node was killed', async () => {
    const [a, b] = [start(), start()]
    a.come('ann')
    await pass(1_000)
    kill(a)
    await pass(20_000)
    expect(b.facts).toEqual(['ann came'])
    await pass(12_000)
    expect(b.facts).toEqual(['ann came', 'ann left'])
  })

  it('ends after the grace period when a node shuts down, and visitors who moved to another node stay present', async () => {
    const [a, b, c] = [start(), start(), start()]
    a.come('ann')
    a.come('bob')
    await pass(1_000)
    a.peers.leave()
    nodes = nodes.filter((node) => node !== a)
    b.come('ann')
    await pass(8_000)
    expect(c.facts).toEqual(['ann came', 'bob came', 'bob left'])
  })
})
