import { describe, expect, it } from 'vitest'
import { networkOf, widerNetworkOf } from './networks.ts'

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('sees %s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
    expect(networkOf(network)).toBe(network)
  })

  it.each([
    ['mapped', '::ffff:192.0.2.7'],
    ['mapped, with all its zeros', '0:0:0:0:0:ffff:192.0.2.7'],
    ['mapped, in hexadecimal digits', '::FFFF:c000:0207'],
    ['6to4', '2002:c000:207::1'],
    ['another network of 6to4', '2002:c000:0207:ffff::1'],
    ['NAT64', '64:ff9b::192.0.2.7'],
    ['NAT64 in hexadecimal digits', '64:ff9b::c000:207'],
    ["NAT64 of a network's own", '64:ff9b:1:fffe::192.0.2.7'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdf8'],
    ['Teredo by another server', '2001::4136:1:8000:1:3fff:fdf8'],
  ])('sees the address of IPv4 in %s', (_what, address) => {
    expect(networkOf(address)).toBe('192.0.2.7')
    expect(networkOf(address, 3)).toBe('192.0.2.7')
    expect(widerNetworkOf(address)).toBeNull()
  })

  it('sees no address of IPv4 in others of IPv6', () => {
    expect(networkOf('2003:c000:207::1')).toBe('2003:c000:207:0::/64')
    expect(networkOf('2001:1:c000:207::1')).toBe('2001:1:c000:207::/64')
    expect(networkOf('64:ff9b:2::c000:207')).toBe('64:ff9b:2:0::/64')
    expect(networkOf('2001:db8::192.0.2.7')).toBe('2001:db8:0:0::/64')
  })

  it('sees a wider network of IPv6 only, also of a network', () => {
    expect(networkOf('2001:db8:1:2::9', 3)).toBe('2001:db8:1::/48')
    expect(widerNetworkOf('2001:db8:1:2::/64')).toBe('2001:db8:1::/48')
    expect(widerNetworkOf('2001:db8::1')).toBe('2001:db8:0::/48')
    expect(networkOf('192.0.2.7', 3)).toBe('192.0.2.7')
    expect(widerNetworkOf('192.0.2.7')).toBeNull()
    expect(widerNetworkOf('unknown')).toBeNull()
  })
})
