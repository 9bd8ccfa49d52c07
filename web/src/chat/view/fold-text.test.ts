import { describe, expect, it } from 'vitest'
import { foldAt, partsBefore } from './fold-text.ts'

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

describe('partsBefore', () => {
  const link = { text: 'https://example.com', href: 'https://example.com/' }

  it('keeps whole links', () => {
    const text = 'see https://example.com and more'
    expect(partsBefore(text, null)).toEqual(['see ', link, ' and more'])
    expect(partsBefore(text, 27)).toEqual(['see ', link, ' and'])
    expect(partsBefore(text, 23)).toEqual(['see ', link])
  })

  it('makes no link of half an address', () => {
    expect(partsBefore('see https://example.com', 15)).toEqual(['see ', 'https://exa'])
  })
})
