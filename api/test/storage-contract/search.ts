import { describe, expect, it } from 'vitest'
import {
  EVERY_TEXT,
  type IndexedText,
  type IndexUpdate,
  type SearchFilter,
  type SearchTerms,
  type StaleCursor,
  visitorText,
} from '../../src/storage/model/search.ts'
import { contact, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const whole = (...terms: string[]): SearchTerms => ({ whole: terms, beginning: [] })
const beginning = (...terms: string[]): SearchTerms => ({ whole: [], beginning: terms })

export function describeSearch({ storage, append, reopen }: StoreUnderTest): void {
  const text = (n: number, terms: string[], at = T0 + n): IndexedText => ({ type: 'message', n, at, terms })

  /** Stores messages and indexes them with these terms. */
  async function indexed(owner: string, ...texts: [message: string, ...terms: string[]][]): Promise<string> {
    for (const [index, [message]] of texts.entries())
      await append(message, { clientId: owner, at: T0 + index })
    const epoch = (await storage.conversations.find(owner))?.epoch ?? ''
    const update = { owner, epoch, seq: texts.length, n: 0, visitor: visitorText(owner, { seq: 1 }) }
    await storage.search.put([
      { ...update, texts: texts.map(([, ...terms], index) => text(index + 1, terms)) },
    ])
    return epoch
  }

  async function textsWith(terms: SearchTerms, limit = 50): Promise<string[]> {
    return (await storage.search.find(terms, { limit })).found.map((found) => found.text)
  }

  /** Every stale owner, in any order. */
  async function staleOwners() {
    const conversations: string[] = []
    const contacts: string[] = []
    let from: StaleCursor | null = null
    do {
      const found = await storage.search.stale(from, 0)
      conversations.push(...found.conversations)
      contacts.push(...found.contacts)
      from = found.next
    } while (from !== null)
    return { conversations: conversations.sort(), contacts }
  }

  describe('search', () => {
    it('finds texts that have all terms, whole and as beginnings', async () => {
      await indexed(VISITOR, ['One', 'camera', 'black'], ['Two', 'camera', 'blue'], ['Three', 'camera'])
      expect(await textsWith(whole('camera', 'black'))).toEqual(['One'])
      expect(await textsWith({ whole: ['camera'], beginning: ['bl'] })).toEqual(['Two', 'One'])
      expect(await textsWith(beginning('c', 'b'))).toEqual(['Two', 'One'])
      expect(await textsWith(whole('cam'))).toEqual([])
      expect(await textsWith(beginning('black'))).toEqual(['One'])
      expect(await textsWith(whole('absent', 'camera'))).toEqual([])
    })

    it('takes terms of any letters', async () => {
      await indexed(
        VISITOR,
        ['Chinese', '摄像', '像头', '头'],
        ['Rare', '𠮷野', '野'],
        ['Long', 'x'.repeat(40)],
      )
      expect(await textsWith(whole('像头'))).toEqual(['Chinese'])
      expect(await textsWith(beginning('头'))).toEqual(['Chinese'])
      expect(await textsWith(beginning('𠮷'))).toEqual(['Rare'])
      expect(await textsWith(beginning('x'.repeat(40)))).toEqual(['Long'])
    })

    it('answers the newest first, and continues behind any of them', async () => {
      await indexed(VISITOR, ['1', 'a'], ['3', 'a'], ['5', 'a'])
      await indexed(OTHER, ['2', 'a'], ['4', 'a'], ['6', 'a'])
      const first = await storage.search.find(whole('a'), { limit: 4 })
      expect(first.found.map(({ at }) => at - T0)).toEqual([2, 2, 1, 1])
      const rest = await storage.search.find(whole('a'), { limit: 4, before: first.next ?? '' })
      expect(rest.found.map(({ at }) => at - T0)).toEqual([0, 0])
      expect(rest.next).toBeNull()
      const behindFirst = await storage.search.find(whole('a'), { limit: 50, before: first.found[0]?.place })
      expect(behindFirst.found).toHaveLength(5)
    })

    describe('with a filter', () => {
      const NONE: SearchTerms = { whole: [], beginning: [] }
      const THIRD = 't'.repeat(20)
      const by = { by: null, at: T0 }

      async function found(filter: Partial<SearchFilter>, terms = NONE) {
        const page = await storage.search.find(terms, { limit: 50, filter: { ...EVERY_TEXT, ...filter } })
        return page.found.map((hit) => hit.text)
      }

      it('finds every text without terms, the newest first', async () => {
        await indexed(VISITOR, ['1', 'a'], ['3', 'b'])
        await indexed(OTHER, ['2', 'c'], ['4', '=file'])
        const first = await storage.search.find(NONE, { limit: 3 })
        expect(first.found.map(({ at }) => at - T0)).toEqual([1, 1, 0])
        expect(first.exhausted).toBe(false)
        const rest = await storage.search.find(NONE, { limit: 3, before: first.next ?? '' })
        expect(rest.found.map(({ at }) => at - T0)).toEqual([0])
        expect(rest.next).toBeNull()
      })

      it('finds texts by their tags, which are no words', async () => {
        await indexed(VISITOR, ['1', 'a', '=visitor'], ['2', 'a', '=by x'], ['3', '=visitor'])
        expect(await found({}, whole('=visitor'))).toEqual(['3', '1'])
        expect(await found({}, whole('=visitor', 'a'))).toEqual(['1'])
        expect(await found({}, { whole: ['a'], beginning: ['=v'] })).not.toContain('2')
      })

      it('compares the status, the label and the site with those that the conversation has now', async () => {
        await indexed(VISITOR, ['1', 'a'])
        await indexed(OTHER, ['2', 'a'])
        await append('3', { clientId: THIRD, at: T0, site: { _id: 's'.repeat(20), name: 'Shop' } })
        const epoch = (await storage.conversations.find(THIRD))?.epoch ?? ''
        const update = { owner: THIRD, epoch, seq: 1, n: 0, visitor: visitorText(THIRD, { seq: 1 }) }
        await storage.search.put([{ ...update, texts: [text(1, ['a'])] }])
        await storage.inbox.change(VISITOR, { labels: ['Refund'] }, by)
        await storage.inbox.change(OTHER, { status: 'spam' }, by)
        for (const terms of [NONE, whole('a')]) {
          expect(await found({ labelKey: 'refund' }, terms)).toEqual(['1'])
          expect(await found({ statuses: ['spam'] }, terms)).toEqual(['2'])
          expect((await found({ statuses: ['open', 'snoozed'] }, terms)).sort()).toEqual(['1', '3'])
          expect(await found({ siteId: 's'.repeat(20) }, terms)).toEqual(['3'])
          expect((await found({ siteId: null }, terms)).sort()).toEqual(['1', '2'])
          expect(await found({ siteId: null, labelKey: 'absent' }, terms)).toEqual([])
          expect(await found({ siteId: null, labelKey: 'refund', statuses: ['spam'] }, terms)).toEqual([])
        }
        await storage.inbox.change(VISITOR, { labels: [] }, by)
        expect(await found({ labelKey: 'refund' })).toEqual([])
      })

      it('finds texts since a time and before another', async () => {
        await indexed(VISITOR, ['0'], ['1'], ['2'], ['3'])
        // Indexed with tags alone, as messages without words are.
        const epoch = (await storage.conversations.find(VISITOR))?.epoch ?? ''
        const update = { owner: VISITOR, epoch, seq: 4, n: 0, visitor: visitorText(VISITOR, { seq: 1 }) }
        const texts = [0, 1, 2, 3].map((n) => text(n + 1, ['=chat'], T0 + n))
        await storage.search.put([{ ...update, texts }])
        expect(await found({ since: T0 + 1, until: T0 + 3 })).toEqual(['2', '1'])
        expect(await found({ since: T0 + 3 }, whole('=chat'))).toEqual(['3'])
        expect(await found({ until: T0 + 1 })).toEqual(['0'])
        expect(await found({ since: T0 + 4 })).toEqual([])
        expect(await found({ until: -1 })).toEqual([])
      })

      it('finds contact messages only by their type', async () => {
        await indexed(VISITOR, ['1', 'a'])
        const { _id } = await storage.contacts.create(contact('A question'))
        const texts: IndexedText[] = [{ type: 'contact', n: 0, at: T0, terms: ['a'] }]
        await storage.search.put([{ owner: _id, epoch: '', seq: 0, n: 0, visitor: '', texts }])
        expect(await found({ statuses: ['open'] })).toHaveLength(2)
        expect(await found({ types: ['message', 'note'] })).toEqual(['1'])
        expect(await found({ types: ['note'] })).toEqual([])
        expect(await found({ types: ['contact'] }, whole('a'))).toHaveLength(1)
      })

      it('reads no more entries than it may, and continues where it stopped', async () => {
        const texts = Array.from({ length: 40 }, (_, index): [string, string] => [`text ${index}`, 'a'])
        await indexed(VISITOR, ...texts)
        await indexed(OTHER, ['the oldest', 'a'])
        await storage.inbox.change(OTHER, { status: 'resolved' }, by)
        const all: string[] = []
        let before: string | undefined
        do {
          const filter: SearchFilter = { ...EVERY_TEXT, statuses: ['resolved'] }
          const page = await storage.search.find(whole('a'), { limit: 1, before, filter })
          all.push(...page.found.map((hit) => hit.text))
          before = page.next ?? undefined
        } while (before !== undefined)
        expect(all).toEqual(['the oldest'])
      })
    })

    it('indexes many texts of the same time', async () => {
      const texts = Array.from({ length: 50 }, (_, index): [string, string] => [`text ${index}`, 'same'])
      for (const [index, [message]] of texts.entries()) {
        await append(message, { at: T0, nonce: `nonce-same-${index}` })
      }
      const epoch = (await storage.conversations.find(VISITOR))?.epoch ?? ''
      const same = texts.map((_, index) => text(index + 1, ['same'], T0))
      const update = {
        owner: VISITOR,
        epoch,
        seq: 50,
        n: 0,
        visitor: visitorText(VISITOR, { seq: 1 }),
        texts: same,
      }
      await storage.search.put([update])
      await storage.search.put([update])
      const found = await textsWith(whole('same'))
      expect(new Set(found).size).toBe(50)
      expect(found).toHaveLength(50)
    })

    it('replaces a text, and removes one without terms', async () => {
      const epoch = await indexed(VISITOR, ['One', 'before'])
      const update = (terms: string[], formerTerms: string[]): IndexUpdate => {
        return {
          owner: VISITOR,
          epoch,
          seq: 1,
          n: 0,
          visitor: visitorText(VISITOR, { seq: 1 }),
          texts: [{ ...text(1, terms), formerTerms }],
        }
      }
      await storage.search.put([update(['after'], ['before'])])
      expect(await textsWith(whole('before'))).toEqual([])
      expect(await textsWith(whole('after'))).toEqual(['One'])
      await storage.search.put([update([], ['after'])])
      expect(await textsWith(whole('after'))).toEqual([])
    })

    it('finds nothing of an erased history, and does not index it late', async () => {
      const epoch = await indexed(VISITOR, ['secret', 'secret'])
      await storage.conversations.erase(VISITOR)
      expect(await textsWith(whole('secret'))).toEqual([])
      await append('public', { at: T0 })
      expect(await textsWith(whole('secret'))).toEqual([])
      await storage.search.put([
        {
          owner: VISITOR,
          epoch,
          seq: 2,
          n: 0,
          visitor: visitorText(VISITOR, { seq: 1 }),
          texts: [text(2, ['secret'])],
        },
      ])
      expect(await textsWith(whole('secret'))).toEqual([])
      expect((await staleOwners()).conversations).toEqual([VISITOR])
      while (!(await storage.search.forget(VISITOR)));
      expect(await storage.search.progressOf([VISITOR])).toEqual(new Map())
    })

    it('forgets an owner of many texts, piece by piece', async () => {
      await indexed(
        VISITOR,
        ...Array.from({ length: 30 }, (_, n): [string, string] => [`text ${n}`, `t${n}`]),
      )
      await storage.conversations.erase(VISITOR)
      let calls = 1
      while (!(await storage.search.forget(VISITOR))) calls += 1
      expect(calls).toBeLessThan(30)
      expect(await storage.search.forget(VISITOR)).toBe(true)
    })

    it('knows the owners that are not indexed, also when opened again', async () => {
      const { _id } = await storage.contacts.create(contact('A question'))
      await append('One')
      await append('Two', { clientId: OTHER })
      expect(await staleOwners()).toEqual({ conversations: [VISITOR, OTHER], contacts: [_id] })
      const epoch = (await storage.conversations.find(VISITOR))?.epoch ?? ''
      await storage.search.put([
        {
          owner: VISITOR,
          epoch,
          seq: 1,
          n: 0,
          visitor: visitorText(VISITOR, { seq: 1 }),
          texts: [text(1, ['one'])],
        },
        {
          owner: _id,
          epoch: '',
          seq: 0,
          n: 0,
          visitor: '',
          texts: [{ type: 'contact', n: 0, at: T0, terms: ['a'] }],
        },
      ])
      await reopen()
      expect(await staleOwners()).toEqual({ conversations: [OTHER], contacts: [] })
      expect(await textsWith(whole('a'))).toEqual(['sam@example.com · A question · A question'])
      await append('Three', { at: T0 + 3 })
      expect((await staleOwners()).conversations).toEqual([VISITOR, OTHER])
      const progress = { epoch, seq: 1, n: 0, visitor: visitorText(VISITOR, { seq: 1 }) }
      expect(await storage.search.progressOf([VISITOR, OTHER])).toEqual(new Map([[VISITOR, progress]]))
    })

    it('notices what a visitor said', async () => {
      const epoch = await indexed(VISITOR, ['One', 'one'])
      await storage.visitors.update(VISITOR, { name: 'Zoë', email: 'zoe@example.org' }, { by: null, at: T0 })
      expect((await staleOwners()).conversations).toEqual([VISITOR])
      const { n } = await storage.inbox.activity(VISITOR, { limit: 1 })
      const visitor = visitorText(VISITOR, { seq: 1, visitor: { name: 'Zoë', email: 'zoe@example.org' } })
      await storage.search.put([
        {
          owner: VISITOR,
          epoch,
          seq: 1,
          n,
          visitor,
          texts: [{ type: 'visitor', n: 0, at: T0, terms: ['zoe'] }],
        },
      ])
      expect((await staleOwners()).conversations).toEqual([])
      expect((await storage.search.find(whole('zoe'), { limit: 1 })).found).toMatchObject([
        { type: 'visitor', owner: VISITOR, text: visitor, name: 'Zoë', at: T0 },
      ])
      await storage.visitors.update(VISITOR, { email: null }, { by: null, at: T0 })
      expect((await staleOwners()).conversations).toEqual([VISITOR])
    })

    it('misses nothing of a conversation without messages', async () => {
      await append('One')
      await storage.conversations.erase(VISITOR)
      const epoch = (await storage.conversations.find(VISITOR))?.epoch ?? ''
      await storage.search.put([{ owner: VISITOR, epoch, seq: 0, n: 0, visitor: '', texts: [] }])
      expect((await staleOwners()).conversations).toEqual([])
      await append('Two', { at: T0 + 1 })
      expect((await staleOwners()).conversations).toEqual([VISITOR])
    })

    it('removes the entries of an owner that is gone', async () => {
      await storage.search.put([
        { owner: VISITOR, epoch: '', seq: 1, n: 0, visitor: '', texts: [text(1, ['ghost'])] },
      ])
      expect(await textsWith(whole('ghost'))).toEqual([])
      expect((await staleOwners()).conversations).toEqual([VISITOR])
      expect(await storage.search.forget(VISITOR)).toBe(true)
      expect((await staleOwners()).conversations).toEqual([])
    })
  })
}
