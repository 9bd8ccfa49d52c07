import { expect, it } from 'vitest'
import { senderIn } from './sender.ts'

const base64 = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`

it.each([
  ['an address alone', 'Sam@Example.org', 'sam@example.org'],
  ['a name', 'Doe, Sam <sam@example.org>', 'sam@example.org'],
  ['a name in quotes', '"eve@example.org, \\"<eve@example.org>" <sam@example.org>', 'sam@example.org'],
  ['a name that is its address', 'sam@example.org <sam@example.org>', 'sam@example.org'],
  ['a comment', 'sam@example.org (eve@example.org (eve@example.org\\) ))', 'sam@example.org'],
  ['an encoded name', '=?utf-8?Q?Doe,_eve@example.org?= <sam@example.org>', 'sam@example.org'],
  ['a name in another script', '山姆 <山姆@example.org>', '山姆@example.org'],
  ['an encoded address', '=?utf-8?Q?<sam@example.org>?=', null],
  ['an address in Base64', base64('<sam@example.org>'), null],
  [
    'an encoded address beside another',
    `${base64('<sam@example.org>')} <eve@example.org>`,
    'eve@example.org',
  ],
  ['two addresses in one', '<sam@example.org> <eve@example.org>', null],
  ['two addresses without signs', 'eve@example.org sam@example.org', null],
  ['an address in an address', '<<sam@example.org>eve@example.org>', null],
  ['an address before a domain', '<sam@example.org>@evil.example', null],
  ['a route', '<@evil.example:sam@example.org>', null],
  ['two domains', 'sam@example.org@evil.example', null],
  ['a group of another name', 'eve@example.org:sam@example.org;', null],
  ['quotes in an address', '"sam"sam@example.org', null],
  ['a quote that lacks its end', 'sam@example.org "<eve@example.org>', null],
  ['a comment that lacks its end', 'sam@example.org (<eve@example.org>', null],
  ['control characters', 's\u0001am@example.org', null],
  ['characters that turn text', 'sam@example.org\u202e', null],
  ['no address', 'Sam', null],
  ['nothing', '', null],
  ['a local part in quotes', '"q.u,oted"@Visitor.example', '"q.u,oted"@visitor.example'],
  ['a local part in quotes and a name', '"Sam" <"sam doe"@example.org>', '"sam doe"@example.org'],
  ['quotes that are not needed', '"sam.doe"@example.org', 'sam.doe@example.org'],
  ['signs to escape', '"a\\"b\\\\c"@example.org', '"a\\"b\\\\c"@example.org'],
  ['another address in quotes', '"eve@evil.example"@example.org', '"eve@evil.example"@example.org'],
  ['nothing in quotes', '""@example.org', null],
  ['a line break in quotes', '"a\u2028b"@example.org', null],
  ['an empty name', '"" <sam@example.org>', 'sam@example.org'],
  ['no name', '<sam@example.org>', 'sam@example.org'],
  ['a group of one', 'Team: Sam <sam@example.org>;', 'sam@example.org'],
  ['an empty group', 'undisclosed-recipients:;', null],
])('the sender with %s is found, or is none', (_, from, expected) => {
  expect(senderIn([from])).toBe(expected)
})

it('several or missing headers have no sender', () => {
  expect(senderIn([])).toBeNull()
  expect(senderIn(['sam@example.org', 'sam@example.org'])).toBeNull()
})

it('a letter of another script is never one of ASCII', () => {
  const kelvin = '\u212aate@example.org'
  expect(kelvin.toLowerCase()).toBe('kate@example.org')
  expect(senderIn([kelvin])).toBe(kelvin)
})
