import { expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

export function describeContacts({ storage }: StoreUnderTest): void {
  it('contacts store every text unchanged', async () => {
    const odd = { email: 'zoë@例子.example', title: '{"$gt":""}', message: 'a\n\n汉字 <b>😀</b>' }
    const created = await storage.contacts.create({ ...odd, createdAt: T0 })
    expect((await storage.contacts.list({ page: 1, perPage: 100 })).items).toEqual([created])
    expect(created).toEqual({ _id: created._id, ...odd, createdAt: T0 })
  })
}
