import { describe, expect, it } from 'vitest'
import { createSeal } from './sealed-text.ts'

const OLD = 'the secret of last year, 32 bytes or more'
const NEW = 'the secret of this year, 32 bytes or more'
const sealed = createSeal({ secret: OLD }).seal('site-secret a', 'pps_söcret')

describe('a sealed text', () => {
  it('opens for its purpose', () => {
    expect(createSeal({ secret: OLD }).unseal('site-secret a', sealed)).toEqual({
      text: 'pps_söcret',
      stale: false,
    })
  })

  it('opens neither for another row nor with another secret', () => {
    expect(createSeal({ secret: OLD }).unseal('site-secret b', sealed)).toBeNull()
    expect(createSeal({ secret: NEW }).unseal('site-secret a', sealed)).toBeNull()
  })

  it('opens with the previous secret, as stale', () => {
    const rotated = createSeal({ secret: NEW, previousSecret: OLD })
    expect(rotated.unseal('site-secret a', sealed)).toEqual({ text: 'pps_söcret', stale: true })
  })

  it('does not open when a byte changed or is missing', () => {
    const { unseal } = createSeal({ secret: OLD })
    const bytes = Buffer.from(sealed, 'base64url')
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i] = (changed[i] ?? 0) ^ 1
      expect(unseal('site-secret a', changed.toString('base64url'))).toBeNull()
      expect(unseal('site-secret a', bytes.subarray(0, i).toString('base64url'))).toBeNull()
    }
  })

  it('shows neither its text nor that two texts are the same', () => {
    const { seal } = createSeal({ secret: OLD })
    expect(seal('a', 'same')).not.toBe(seal('a', 'same'))
    expect(sealed).not.toContain(Buffer.from('pps_').toString('base64url').slice(0, 5))
  })
})
