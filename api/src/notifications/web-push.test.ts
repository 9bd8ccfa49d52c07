import { createECDH } from 'node:crypto'
import { expect, it } from 'vitest'
import { encryptPush } from './web-push.ts'

const fromBase64 = (text: string) => Buffer.from(text, 'base64url')

// RFC 8291, appendix A.
const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}
const OWN_PRIVATE = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
const SALT = 'DGv6ra1nlYgDCS1FRnbzlw'
const BODY =
  'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN'

it('encrypts the example of RFC 8291', () => {
  const own = createECDH('prime256v1')
  own.setPrivateKey(fromBase64(OWN_PRIVATE))
  const body = encryptPush('When I grow up, I want to be a watermelon', KEYS, { own, salt: fromBase64(SALT) })
  expect(body.toString('base64url')).toBe(BODY)
})

it('encrypts each push with a key and a salt of its own', () => {
  const [one, other] = [encryptPush('a', KEYS), encryptPush('a', KEYS)]
  expect(one.subarray(0, 16)).not.toEqual(other.subarray(0, 16))
  expect(one.subarray(21, 86)).not.toEqual(other.subarray(21, 86))
})

it('refuses keys that are none, and what does not fit in a push', () => {
  expect(() => encryptPush('a', { ...KEYS, p256dh: 'B'.repeat(87) })).toThrow()
  expect(encryptPush('x'.repeat(4_079), KEYS)).toHaveLength(86 + 4_096)
  expect(() => encryptPush('x'.repeat(4_080), KEYS)).toThrow('too long')
})
