// @vitest-environment node
import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import { describe, expect, it } from 'vitest'
import { createTimeline } from './timeline.ts'

const message = (seq: number, epoch = 'e1'): Message => ({
  _id: `id${epoch}${seq}`,
  clientId: 'c',
  senderId: 'c',
  message: `text ${seq}`,
  createdAt: '2026-01-01T00:00:00.000Z',
  seq,
  epoch,
  nonce: `nonce-${epoch}-${seq}`,
})

function page(seqs: number[], options: Partial<Page> = {}): Page {
  return {
    messages: seqs.map((seq) => message(seq, options.epoch)),
    seq: seqs.at(-1) ?? 0,
    epoch: 'e1',
    more: false,
    read: { visitor: 0, admin: 0 },
    transport: 'push',
    ...options,
  }
}

const seqs = (messages: readonly Message[]) => messages.map(({ seq }) => seq)

function loadedWith(...numbers: number[]) {
  const timeline = createTimeline()
  timeline.addNewest(page(numbers))
  return timeline
}

describe('timeline', () => {
  it('shows each message once, however often it arrives', () => {
    const timeline = loadedWith(1, 2)
    expect(seqs(timeline.add(message(3)))).toEqual([3])
    expect(timeline.add(message(3))).toEqual([])
    expect(timeline.add(message(1))).toEqual([])
    expect(timeline.addNewer(page([3]))).toEqual([])
    expect(seqs(timeline.messages)).toEqual([1, 2, 3])
  })

  it('holds a message back until its predecessors arrive', () => {
    const timeline = loadedWith(1)
    expect(timeline.add(message(4))).toEqual([])
    expect(timeline.add(message(3))).toEqual([])
    expect(timeline.hasGap).toBe(true)
    expect(seqs(timeline.messages)).toEqual([1])
    expect(seqs(timeline.add(message(2)))).toEqual([2, 3, 4])
    expect(timeline.hasGap).toBe(false)
    expect(timeline.cursor).toBe(4)
  })

  it('accepts a gap that exists on the server too', () => {
    const timeline = loadedWith(1)
    timeline.add(message(4))
    expect(seqs(timeline.addNewer(page([4], { seq: 4 })))).toEqual([4])
    expect(timeline.hasGap).toBe(false)
    expect(timeline.cursor).toBe(4)
  })

  it('still adds a message of an accepted gap', () => {
    const timeline = loadedWith(1)
    timeline.addNewer(page([4]))
    expect(seqs(timeline.add(message(3)))).toEqual([3])
    expect(seqs(timeline.messages)).toEqual([1, 3, 4])
  })

  it('holds back a fact that is newer than the page while messages between them are missing', () => {
    const timeline = loadedWith(1)
    timeline.add(message(5))
    expect(seqs(timeline.addNewer(page([2, 3])))).toEqual([2, 3])
    expect(timeline.hasGap).toBe(true)
    expect(seqs(timeline.add(message(4)))).toEqual([4, 5])
  })

  it('shows no waiting message before the last page of a sync', () => {
    const timeline = loadedWith(1)
    timeline.add(message(4))
    expect(seqs(timeline.addNewer(page([2], { seq: 4, more: true })))).toEqual([2])
    expect(seqs(timeline.addNewer(page([3, 4])))).toEqual([3, 4])
  })

  it('holds facts back that arrive before the first page', () => {
    const timeline = createTimeline()
    expect(timeline.add(message(3))).toEqual([])
    expect(seqs(timeline.addNewest(page([1, 2])))).toEqual([1, 2, 3])
  })

  describe('corrections', () => {
    const edited = (seq: number, edit: number): Message => ({
      ...message(seq),
      message: `words ${edit}`,
      edit,
      editedAt: '2026-01-01T00:01:00.000Z',
    })
    const words = ({ messages }: { messages: readonly Message[] }) => messages.map(({ message }) => message)

    it('replace words if they are newer, in any order', () => {
      const timeline = loadedWith(1, 2)
      expect(timeline.correct(edited(2, 1))).toBe(true)
      expect(timeline.correct(edited(2, 3))).toBe(false)
      expect(timeline.correct(edited(2, 2))).toBe(true)
      expect(words(timeline)).toEqual(['text 1', 'words 3'])
      expect(timeline.edit).toBe(2)
      const { messages } = timeline
      expect(timeline.correct(edited(2, 1))).toBe(true)
      expect(timeline.add(message(2))).toEqual([])
      timeline.addNewer(page([2], { edit: 3, edits: [] }))
      expect(timeline.messages).toBe(messages)
      expect(timeline.edit).toBe(3)
    })

    it('of a message that is not shown must be read', () => {
      const timeline = loadedWith(1)
      expect(timeline.correct(edited(2, 1))).toBe(false)
      expect(timeline.edit).toBe(0)
      timeline.add(message(3))
      timeline.addNewer({ ...page([2, 3], { edit: 1, edits: [edited(2, 1)] }) })
      expect(words(timeline)).toEqual(['text 1', 'words 1', 'text 3'])
      expect(timeline.edit).toBe(1)
    })

    it('count as read once a page ends with the newest message', () => {
      const timeline = loadedWith(1)
      const all = { edit: 2, edits: [edited(1, 1), edited(3, 2)] }
      timeline.addNewer(page([2], { seq: 3, more: true, ...all }))
      expect([words(timeline), timeline.edit]).toEqual([['words 1', 'text 2'], 0])
      timeline.addNewer({ ...page([3], all), more: true, edits: [edited(1, 1)] })
      expect(timeline.edit).toBe(1)
      timeline.addNewer(page([], { ...all, seq: 3 }))
      expect([words(timeline), timeline.edit]).toEqual([['words 1', 'text 2', 'words 2'], 2])
    })

    it('are read again when an older page lacks them, and start again after a reset', () => {
      const timeline = createTimeline()
      timeline.addNewest(page([3], { more: true, edit: 4 }))
      expect(timeline.edit).toBe(4)
      timeline.addOlder(page([1, 2], { edit: 3 }))
      expect(timeline.edit).toBe(3)
      timeline.reset()
      expect(timeline.edit).toBe(0)
    })
  })

  it('puts older pages above', () => {
    const timeline = createTimeline()
    timeline.addNewest(page([3, 4], { more: true }))
    expect(timeline.hasOlder).toBe(true)
    timeline.addOlder(page([1, 2]))
    expect(seqs(timeline.messages)).toEqual([1, 2, 3, 4])
    expect(timeline.hasOlder).toBe(false)
  })

  it('does not show an old message above a page that was never read', () => {
    const timeline = createTimeline()
    timeline.addNewest(page([51, 52], { more: true }))
    expect(timeline.add(message(7))).toEqual([])
    expect(timeline.force(message(7))).toEqual([])
    expect(seqs(timeline.messages)).toEqual([51, 52])
  })

  it('takes the epoch of the first message of a conversation', () => {
    const timeline = createTimeline()
    timeline.addNewest(page([], { epoch: '' }))
    expect(timeline.hasEpoch('e9')).toBe(true)
    timeline.add(message(1, 'e9'))
    expect(timeline.epoch).toBe('e9')
    expect(timeline.hasEpoch('e1')).toBe(false)
  })

  it('drops waiting messages of an erased history', () => {
    const timeline = loadedWith(1)
    timeline.add(message(3))
    timeline.reset()
    timeline.add(message(2, 'e1'))
    expect(seqs(timeline.addNewest(page([1], { epoch: 'e2', seq: 3 })))).toEqual([1])
    expect(timeline.messages.every(({ epoch }) => epoch === 'e2')).toBe(true)
    expect(timeline.cursor).toBe(1)
    expect(timeline.hasGap).toBe(false)
  })

  it('shows an acknowledged message although its predecessors are missing, and still syncs them', () => {
    const timeline = loadedWith(1)
    timeline.add(message(3))
    expect(seqs(timeline.force(message(3)))).toEqual([3])
    expect(timeline.cursor).toBe(1)
    expect(seqs(timeline.addNewer(page([2, 3])))).toEqual([2])
    expect(seqs(timeline.messages)).toEqual([1, 2, 3])
  })
})
