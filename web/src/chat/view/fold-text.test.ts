import { describe, expect, it } from 'vitest'
import { firstParts, foldAt } from './fold-text.ts'

describe('foldAt', () => {
  it('leaves a text of 900 characters and 16 lines whole', () => {
    expect(foldAt('x'.repeat(900))).toBeNull()
    expect(foldAt(Array(16).fill('line').join('\n'))).toBeNull()
  })

  it('ends a longer one between two words', () => {
    const text = 'word '.repeat(200)
    const end = foldAt(text) as number
    expect(end).toBeLessThanOrEqual(600)
    expect(end).toBeGreaterThan(500)
    expect(text.slice(0, end)).toMatch(/word$/)
  })

  it('ends one with more lines after the tenth', () => {
    const text = Array.from({ length: 17 }, (_, at) => `line ${at + 1}`).join('\n')
    expect(text.slice(0, foldAt(text) as number)).toMatch(/line 10$/)
  })

  it('cuts no character in half', () => {
    expect(foldAt('x'.repeat(600) + 'y'.repeat(400))).toBe(600)
    expect(foldAt(`${'x'.repeat(599)}${'😀'.repeat(400)}`)).toBe(599)
  })
})

describe('firstParts', () => {
  const link = { text: 'https://example.com', href: 'https://example.com/' }

  it('keeps whole parts and cuts the last one', () => {
    expect(firstParts(['see ', link, ' and more'], 27)).toEqual(['see ', link, ' and'])
  })

  it('makes no link of half an address', () => {
    expect(firstParts(['see ', link], 15)).toEqual(['see ', 'https://exa'])
  })
})
