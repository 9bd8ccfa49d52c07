import { describe, expect, it } from 'vitest'
import { hostOf, readHosts } from './hosts.ts'

describe('a list of hosts', () => {
  it('has hosts with and without a port', () => {
    const { hosts, problems } = readHosts(
      'SOME_HOSTS',
      'push.example.com, *.Example.ORG:8443,localhost:4443,127.0.0.1:9,[::1]:8443',
    )
    expect(problems).toEqual([])
    expect(hosts).toEqual([
      { name: 'push.example.com', port: 443, own: true },
      { name: '*.example.org', port: 8443, own: true },
      { name: 'localhost', port: 4443, own: true },
      { name: '127.0.0.1', port: 9, own: true },
      { name: '[::1]', port: 8443, own: true },
    ])
  })

  it.each([
    ['https://push.example.com', '*', '*.', '*.*.example.com', 'a.*.example.com', 'push.example.com:0'],
    ['push.example.com:70000', 'push.example.com/path', 'user@push.example.com', 'a b', '[::1', '[x]:1'],
    ['-a.example.com', '.example.com', '*.127.0.0.1', 'a..example.com', 'a\\b', 'a.example.com:'],
  ])('names every problem: %s …', (...entries) => {
    const { problems } = readHosts('SOME_HOSTS', `ok.example.com,${entries.join(',')}`)
    expect(
      problems.map((problem) => /^SOME_HOSTS has "(.*)"/.exec(problem)?.[1]?.replace('\\\\', '\\')),
    ).toEqual(entries)
  })
})

describe('an address', () => {
  const { hosts: own } = readHosts(
    'SOME_HOSTS',
    'push.example.com,*.example.org:8443,127.0.0.1:9,*.known.example',
  )
  const others = ['*.known.example', 'fcm.googleapis.com'].map((name) => ({ name, port: 443, own: false }))
  const hosts = [...others, ...own]
  const nameOf = (endpoint: string) => hostOf(endpoint, hosts)?.name ?? null

  it.each([
    ['https://push.example.com/x', 'push.example.com'],
    ['https://PUSH.example.com:443/x?y', 'push.example.com'],
    ['https://a.b.example.org:8443/', '*.example.org'],
    ['https://127.0.0.1:9/x', '127.0.0.1'],
    ['https://0x7f.1:9/x', '127.0.0.1'],
    ['https://fcm.googleapis.com/fcm/send/a:b', 'fcm.googleapis.com'],
    ['https://a.b.known.example/wpush/v2/x', '*.known.example'],
  ])('%s is allowed', (endpoint, name) => {
    expect(nameOf(endpoint)).toBe(name)
  })

  it('is one of the own hosts before another, because those may be private', () => {
    expect(hostOf('https://a.known.example/x', hosts)).toMatchObject({ own: true })
    expect(hostOf('https://fcm.googleapis.com/x', hosts)).toMatchObject({ own: false })
  })

  it.each([
    'http://push.example.com/x',
    'https://push.example.com:8443/x',
    'https://example.org:8443/x',
    'https://a.example.org/x',
    'https://notexample.org:8443/x',
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://fcm.googleapis.com./x',
    'https://fcm.googleapis.com@evil.example/x',
    'https://fcm.googleapis.com\\@evil.example/x',
    'https://evil.example/fcm.googleapis.com',
    'https://evil.example\\.fcm.googleapis.com/x',
    'https://push.example.com/x#y',
    'https://user@push.example.com/x',
    ' https://push.example.com/x',
    'https://push.example.com/\n',
    'https://push.example.com/ü',
    `https://push.example.com/${'x'.repeat(2_048)}`,
    'file:///etc/passwd',
    '',
  ])('%j is refused', (endpoint) => {
    expect(nameOf(endpoint)).toBeNull()
  })
})
