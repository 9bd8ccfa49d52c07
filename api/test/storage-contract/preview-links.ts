import { describe, expect, it } from 'vitest'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

export function describePreviewLinks({ storage }: StoreUnderTest): void {
  describe('preview links', () => {
    const [one, other] = ['1'.repeat(24), '2'.repeat(24)] as const
    const link = (_id: string, letter: string, expiresAt = T0 + 10) => ({
      ...{ _id, hash: letter.repeat(43), expiresAt },
    })

    it('are found by their hash and by their post until they expire', async () => {
      await storage.previewLinks.replace(link(one, 'a'), T0)
      await storage.previewLinks.replace(link(other, 'b'), T0)
      expect(await storage.previewLinks.findByHash('a'.repeat(43), T0 + 9)).toEqual(link(one, 'a'))
      expect(await storage.previewLinks.ofPost(other, T0 + 9)).toEqual(link(other, 'b'))
      expect(await storage.previewLinks.findByHash('a'.repeat(43), T0 + 10)).toBeNull()
      expect(await storage.previewLinks.ofPost(other, T0 + 10)).toBeNull()
      expect(await storage.previewLinks.findByHash('c'.repeat(43), T0)).toBeNull()
    })

    it('replace the earlier link of their post', async () => {
      await storage.previewLinks.replace(link(one, 'a'), T0)
      await storage.previewLinks.replace(link(one, 'b'), T0 + 1)
      expect(await storage.previewLinks.findByHash('a'.repeat(43), T0 + 1)).toBeNull()
      expect(await storage.previewLinks.ofPost(one, T0 + 1)).toEqual(link(one, 'b'))
    })

    it('are one for each post, also when several are made at once', async () => {
      await Promise.all(['a', 'b', 'c'].map((letter) => storage.previewLinks.replace(link(one, letter), T0)))
      const found = await Promise.all(
        ['a', 'b', 'c'].map((letter) => storage.previewLinks.findByHash(letter.repeat(43), T0)),
      )
      expect(found.filter((each) => each !== null)).toEqual([await storage.previewLinks.ofPost(one, T0)])
    })

    it('are removed when they are ended, and when another one is made after they expired', async () => {
      await storage.previewLinks.replace(link(one, 'a'), T0)
      expect(await storage.previewLinks.remove(one)).toBe(true)
      expect(await storage.previewLinks.remove(one)).toBe(false)
      expect(await storage.previewLinks.ofPost(one, T0)).toBeNull()

      await storage.previewLinks.replace(link(one, 'a'), T0)
      await storage.previewLinks.replace(link(other, 'b', T0 + 99), T0 + 10)
      expect(await storage.previewLinks.ofPost(one, T0)).toBeNull()
    })
  })
}
