import { expect, it } from 'vitest'
import { tagProblem } from './sites-page.tsx'

it.each([
  ['http:', 'chat.example.com', ['https://shop.example'], true],
  ['http:', '192.0.2.7', ['http://localhost:8080', 'https://*.shop.example'], true],
  ['http:', 'chat.example.com', ['http://localhost:8080'], false],
  ['https:', 'chat.example.com', ['https://shop.example'], false],
  ['http:', 'localhost', ['https://shop.example'], false],
  ['http:', '127.0.0.1', ['https://shop.example'], false],
] as const)(
  'on %s//%s, says for %j that browsers block the tag: %s',
  (protocol, hostname, origins, isBlocked) => {
    const { hint = '' } = tagProblem({ protocol, hostname }, origins)
    expect(hint.includes('Browsers block this tag')).toBe(isBlocked)
  },
)
