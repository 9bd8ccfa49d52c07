import { expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

export function describeContacts({ storage }: StoreUnderTest): void {
  it('contacts store every text unchanged', async () => {
    const odd = { email: 'zoë@例子.example', title: '{"$gt":""}', message: 'a\n\n汉字 <b>😀</b>' }
    const created = await storage.contacts.create({ ...odd, createdAt: T0 })
    expect((await storage.contacts.list({ page: 1, perPage: 100 })).items).toEqual([created])
    expect(created).toEqual({ _id: created._id, ...odd, createdAt: T0, doneAt: null })
  })

  it('contacts are marked as done, and removed', async () => {
    const { contacts } = storage
    const texts = { email: 'a@b.example', title: 'One', message: 'Two' }
    const created = await contacts.create({ ...texts, createdAt: T0 })
    const done = { ...created, doneAt: T0 + 5 }
    expect(await contacts.setDone(created._id, T0 + 5)).toEqual(done)
    expect(await contacts.findById(created._id)).toEqual(done)
    expect(await contacts.setDone(created._id, null)).toEqual(created)
    expect(await contacts.remove(created._id)).toBe(true)
    expect(await contacts.findById(created._id)).toBeNull()
    expect(await contacts.remove(created._id)).toBe(false)
    expect(await contacts.setDone(created._id, T0)).toBeNull()
  })
}
