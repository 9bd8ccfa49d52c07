import { expect, it } from 'vitest'
import { isPublicAddress, refusePrivateAddress } from './addresses.ts'

it.each([
  [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
  ],
  [
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
])('counts as private: %s …', (...addresses) => {
  for (const address of addresses) {
    expect(isPublicAddress({ address, family: address.includes(':') ? 6 : 4 }), address).toBe(false)
  }
})

it.each(['8.8.8.8', '142.250.1.188', '2607:f8b0:4004::5f', '2001:4860:4860::8888'])(
  'counts as public: %s',
  (address) => {
    expect(isPublicAddress({ address, family: address.includes(':') ? 6 : 4 })).toBe(true)
  },
)

it.each(['https://127.0.0.1/', 'https://0x7f.1/', 'https://2130706433/', 'https://[::1]:8443/'])(
  'refuses a private address in a URL: %s',
  (url) => {
    expect(() => refusePrivateAddress(url)).toThrow('a private address')
  },
)

it.each(['https://8.8.8.8/', 'https://[2001:4860:4860::8888]/', 'https://localhost/'])(
  'leaves public addresses, and names to the lookup: %s',
  (url) => {
    expect(() => refusePrivateAddress(url)).not.toThrow()
  },
)
