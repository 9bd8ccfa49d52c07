import { describe, expect, it } from 'vitest'
import { messageNotification } from '../notification-text.ts'
import { nameProblem, nameWithoutLink } from './name.ts'
import { profileFields } from './profile.ts'
import { PROFILE_FIELDS, USER_NAME_FIELD } from './team.ts'

const HONEST = [
  'J. R. Smith',
  'Dr.Li',
  'Prof.Dr.Li',
  'J.R.R.Tolkien',
  'St.John',
  "Conan O'Brien",
  'Sammy Davis, Jr.',
  'Sam @ home',
  'José Núñez',
  'Нина Ивановна',
  'Ν. Παπαδόπουλος',
  '张三',
  '张三。',
  'می\u200cخواهم',
  'राम।',
  '王。小明',
  'محمد علی',
  'דוד בן־גוריון',
  'สมชาย',
  '🦊 Fox',
  'Anne-Marie',
  'R2-D2',
  'X Æ A-12',
  'A/B',
  'Who?',
  'Wwwille',
  'Tom: the cat',
  'N. N.',
  'Ma.Ri',
  'Kim (she/her)',
  'P.de Boer',
  'T.Ly',
]
const LINKS = [
  'your account is locked: https://evil.example/x',
  'HTTP://evil.example',
  'ftp://x',
  'custom://x',
  'https：／／evil.example',
  'www.evil.example',
  'Sam WWW.evil.ru',
  'see www2.evil.ru',
  'sam@evil.example',
  'Sam <a@b.co>',
  'mailto:sam',
  'tel:123',
  'evil.ru/x',
  'go to evil.example/login now',
  'evil.рф/a',
  'evil.ru:8080/x',
  'evil.ru?a',
  'evil.ru#a',
  'evil。ru/x',
  'account locked, see evil.ru',
  'Evil.IO',
  'Evil.co.uk',
  'bank.中国',
  'evil．com',
  'evil｡com',
  'evil。com',
  'evil․com',
  'evil﹒com',
  'evil۔com',
  'evil।com',
  'evil։com',
  'evil።com',
  'evil܁com',
  'evilꓸcom',
  'ev\u200bil.c\u2060om',
  'evil\u00ad.\u200dru',
  'www\u200b.evil',
  'sam\u2060@evil.example',
  'https:/\u200c/x',
  'ⓔⓥⓘⓛ。ⓒⓞⓜ',
  'evil.com',
  'Evil.COM now',
  'пример.com',
  'my-bank.xyz',
  'ｅｖｉｌ．ｃｏｍ',
  't.co/x',
]

describe('a name', () => {
  it.each(HONEST)('can be %j', (name) => {
    expect(nameProblem(name, 80)).toBeNull()
    expect(nameWithoutLink(name)).toBe(name)
  })

  it.each(LINKS)('cannot be %j', (name) => {
    const problem = 'Use a name without links or email addresses'
    expect(profileFields(0).name.problem(name)).toBe(problem)
    expect(PROFILE_FIELDS.displayName.problem(name)).toBe(problem)
    expect(nameWithoutLink(name)).toBeNull()
  })

  it('that was stored with a link is left out of notifications', () => {
    const message = { _id: 'id', clientId: 'visitor1xxxxxxxxxxxx', message: 'Hello' }
    const { title } = messageNotification(message, null, true)
    expect(messageNotification(message, 'evil.example/x', true).title).toBe(title)
    expect(messageNotification(message, 'Dr.Li', true).title).toBe('Dr.Li')
  })
})

describe('a user name', () => {
  const { clean, problem } = USER_NAME_FIELD

  it.each([
    'admin',
    'Sam Smith',
    'sam.smith@example.com',
    'j_r-2',
    'José',
    'Нина',
    'Νίκος',
    '張三 Sam',
    '山田ショー太郎',
    '김민수 Kim',
    'สมชาย',
    '𝐚𝐝𝐦𝐢𝐧',
    'ａｄｍｉｎ',
    "O'Brien",
    'نیما',
  ])('can be %j', (name) => {
    expect(problem(name)).toBeNull()
  })

  it('is stored in its plain form', () => {
    expect(['𝐚𝐝𝐦𝐢𝐧', ' ａｄｍｉｎ ', 'ﬁn', 'e\u0301'].map(clean)).toEqual(['admin', 'admin', 'fin', 'é'])
  })

  it.each([
    'ad\u200bmin',
    'admin\u200d',
    'ad\ufeffmin',
    'ad\u00admin',
    'admin\u2060',
    'admin\u115f',
    'admin\u3164',
    'admin\u2800',
    'admin\ufe0f',
    'ad\u{e0061}min',
    'admin\ue000',
    'sam  smith',
    'sam\u1680smith',
    'admin\u034f',
    'ad\u061cmin',
  ])('has nothing invisible: %j', (name) => {
    expect(problem(name)).toBe('Use visible characters, and single spaces')
  })

  it.each(['аdmin', 'admіn', 'Αdmin', 'admin\u0430', 'ad\u03bfmin', 'Ѕam', 'Саm', 'sаmＡ', 'αнна', 'ꓢam'])(
    'has the letters of one script: %j',
    (name) => {
      expect(problem(name)).toBe('Use letters from one script only')
    },
  )
})
