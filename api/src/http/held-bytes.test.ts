import { expect, it } from 'vitest'
import { createHeldBytes } from './held-bytes.ts'

function setUp() {
  const held = createHeldBytes(100)
  const cut: string[] = []
  return { cut, begin: (name: string, network: string) => held.begin(network, () => cut.push(name)) }
}

it('beyond its bound, the network that holds the most loses its largest form', () => {
  const { begin, cut } = setUp()
  begin('small of many', 'many').add(30)
  const large = begin('large of many', 'many')
  large.add(31)
  begin('one', 'one').add(39)
  expect(cut).toEqual([])
  begin('other', 'other').add(1)
  expect(cut).toEqual(['large of many'])
  // The bytes of cut connections are free again.
  begin('next', 'next').add(29)
  expect(cut).toEqual(['large of many'])
})

it('cuts no form whose work runs, but the one that comes on top', () => {
  const { begin, cut } = setUp()
  const worked = begin('worked off', 'a')
  worked.add(95)
  worked.read()
  const late = begin('late', 'b')
  late.add(6)
  expect(cut).toEqual(['late'])
  late.end()
  worked.end()
  begin('next', 'c').add(100)
  expect(cut).toEqual(['late'])
})
