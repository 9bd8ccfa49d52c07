import { describe, expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import {
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  CONTACT_MESSAGE_MAX,
  CONTACT_TITLE_MAX,
  EMAIL_MAX,
  IMAGE_ALT_MAX,
  MESSAGE_MAX,
  REPLY_TEXT_MAX,
  REVIEW_NAME_MAX,
  REVIEW_TEXT_MAX,
  REVIEW_TIME_MAX,
  SLUG_MAX,
} from '../limits.ts'
import { checkFields } from './check.ts'
import { CONTACT_FIELDS, contactTitle } from './contact.ts'
import { MESSAGE_FIELD } from './message.ts'
import { passwordLengthProblem, unusablePassword } from './password.ts'
import { ALT_REQUIRED, altProblem, IMAGE_ALT, POST_CONTENT, POST_FIELDS } from './post.ts'
import { REPLY_FIELDS } from './reply.ts'
import { REVIEW_FIELDS, starsFrom } from './review.ts'
import type { Field } from './text.ts'

const LINES: [string, Field, number][] = [
  ['contact title', CONTACT_FIELDS.title, CONTACT_TITLE_MAX],
  ['review name', REVIEW_FIELDS.name, REVIEW_NAME_MAX],
  ['review time', REVIEW_FIELDS.time, REVIEW_TIME_MAX],
  ['post title', POST_FIELDS.title, BLOG_TITLE_MAX],
  ['post summary', POST_FIELDS.summary, BLOG_SUMMARY_MAX],
]
const TEXTS: [string, Field, number][] = [
  ['contact message', CONTACT_FIELDS.message, CONTACT_MESSAGE_MAX],
  ['review text', REVIEW_FIELDS.review, REVIEW_TEXT_MAX],
  ['text of a canned reply', REPLY_FIELDS.text, REPLY_TEXT_MAX],
  ['chat message', MESSAGE_FIELD, MESSAGE_MAX],
]

describe.each([...LINES, ...TEXTS])('the %s', (_title, { problem }, max) => {
  it.each(['x', '漢', '😀', '𠀀'])('has so many %s at most, and white space around them', (character) => {
    expect(problem(character.repeat(max))).toBeNull()
    expect(problem(` \n${character.repeat(max)}\n `)).toBeNull()
    expect(problem(character.repeat(max + 1))).toContain(max.toLocaleString('en'))
  })

  it('is required, and storable', () => {
    for (const empty of [' ', '\u2800', '\u200b\u200d']) expect(problem(empty)).toMatch(/[Rr]equired$/)
    for (const text of ['a\0b', '\ud800', 'b\udc00']) expect(problem(text)).toEqual(expect.any(String))
    expect(problem('e\u0301 \u200e שלום 👩\u200d👧')).toBeNull()
  })
})

it.each(LINES.filter(([title]) => title !== 'post summary'))('the %s is one line', (_title, { problem }) => {
  expect(problem('one\ntwo')).toBe('Use one line, without control characters')
})

it.each(TEXTS)('the %s has several lines', (_title, { problem }) => {
  expect(problem('one\r\ntwo\u2028three')).toBeNull()
})

describe('the description of an image', () => {
  it('is required unless the image is decorative', () => {
    for (const empty of ['', ' \n ']) {
      expect(altProblem(empty, false)).toBe(ALT_REQUIRED)
      expect(altProblem(empty, true)).toBeNull()
      expect(IMAGE_ALT.problem(empty)).toBeNull()
    }
    expect(altProblem('A desk', false)).toBeNull()
  })

  it('is one line of so many characters at most', () => {
    expect(IMAGE_ALT.clean(' A desk\n and a lamp ')).toBe('A desk and a lamp')
    expect(altProblem('😀'.repeat(IMAGE_ALT_MAX), false)).toBeNull()
    for (const text of ['😀'.repeat(IMAGE_ALT_MAX + 1), 'a\0b', '\ud800', '\u202etxt']) {
      expect(altProblem(text, false)).toEqual(expect.any(String))
      expect(IMAGE_ALT.problem(text)).toEqual(expect.any(String))
    }
  })
})

describe('the contact form', () => {
  it('words a missing title as its page does', () => {
    expect(contactTitle('title is required').problem('')).toBe('title is required')
    expect(CONTACT_FIELDS.title.problem('\u202a\u202c')).toBe('Title is required')
  })

  it('drops direction overrides from the title, and keeps marks', () => {
    expect(CONTACT_FIELDS.title.clean(' \u202Agnp.\u202Eexe\u2069 \u200e')).toBe('gnp.exe \u200e')
    expect(CONTACT_FIELDS.title.problem('\u202egnp.exe')).toBeNull()
  })

  it('counts an email address in code points', () => {
    const address = (length: number, character: string) => `a@${character.repeat(length - 4)}.b`
    const { problem } = CONTACT_FIELDS.email
    for (const character of ['b', '例', '𠀀']) {
      expect(problem(address(EMAIL_MAX, character))).toBeNull()
      expect(problem(address(EMAIL_MAX + 1, character))).toBe('Enter a valid email address')
    }
    expect(problem(' sam@example.com\n')).toBeNull()
    expect(problem('sam@example')).toBe('Enter a valid email address')
    expect(problem(' ')).toBe('Email is required')
  })
})

describe('stars', () => {
  const problem = (text: string) => REVIEW_FIELDS.star.problem(starsFrom(text))

  it.each(['1', '2.3', '3.5', ' 4.5 ', '4.7', '4.999', '5', '5.0'])('are %j', (text) => {
    expect(problem(text)).toBeNull()
  })

  it.each([
    ['', 'Required'],
    [' ', 'Required'],
    ['0', 'Enter a number from 1 to 5'],
    ['0.5', 'Enter a number from 1 to 5'],
    ['-1', 'Enter a number from 1 to 5'],
    ['5.5', 'Enter a number from 1 to 5'],
    ['five', 'Enter a number from 1 to 5'],
    ['Infinity', 'Enter a number from 1 to 5'],
    ['5.01', 'Enter a number from 1 to 5'],
    ['4,7', 'Enter a number from 1 to 5'],
  ])('are not %j: %s', (text, message) => {
    expect(problem(text)).toBe(message)
  })
})

describe('a post', () => {
  it('has a summary of one paragraph', () => {
    expect(POST_FIELDS.summary.clean(' one\r\n\n two\tthree ')).toBe('one two three')
    expect(POST_FIELDS.summary.problem(`a${'\n'.repeat(BLOG_SUMMARY_MAX)}b`)).toBeNull()
  })

  it.each(['a', 'two-words', ' padded ', 'a'.repeat(SLUG_MAX)])('may have the slug %j', (slug) => {
    expect(POST_FIELDS.slug.problem(slug)).toBeNull()
  })

  it.each(['Capital', 'a--b', '-a', 'a-', 'a1', 'ü', 'a b', 'a\nb'])('may not have the slug %j', (slug) => {
    expect(POST_FIELDS.slug.problem(slug)).toBe(
      'Wrong format! Only use lower case and separate words with hyphen',
    )
  })

  it('says of a slug first that it is too long', () => {
    expect(POST_FIELDS.slug.problem('A'.repeat(SLUG_MAX + 1))).toBe('Use 120 characters or fewer')
    expect(POST_FIELDS.slug.problem('')).toBe('Blog slug is required')
  })

  it.each([
    ['x', 1],
    ['é', 2],
    ['漢', 3],
    ['\ud800', 3],
    ['😀', 4],
  ])('has content counted in bytes of UTF-8: %j', (character, bytes) => {
    const fits = character.repeat(BLOG_CONTENT_BYTES_MAX / bytes)
    expect(POST_CONTENT.problem(fits)).toBeNull()
    expect(POST_CONTENT.problem(`${fits}${character}`)).toBe('The content is too long: the limit is 512 KB')
  })

  it('has content that is stored as it is', () => {
    expect(POST_CONTENT.clean(' <p> a </p>\r\n')).toBe(' <p> a </p>\r\n')
    expect(POST_CONTENT.problem('')).toBe('Content is required!')
  })
})

it('a chat message keeps its line breaks and its indentation', () => {
  expect(MESSAGE_FIELD.clean(' \r\n one\r\ntwo ')).toBe(' one\r\ntwo')
  expect(MESSAGE_FIELD.problem('x'.repeat(4_001))).toBe('A message can have up to 4,000 characters.')
})

describe('the length of a password', () => {
  it.each([
    ['lone letters', 'x'.repeat(12)],
    ['emoji', '😀'.repeat(12)],
    ['a ligature that normalizes to two letters', `ﬁ${'x'.repeat(10)}`],
    ['128 composed letters', 'e\u0301'.repeat(128)],
  ])('is right with %s', (_title, password) => {
    expect(passwordLengthProblem(password)).toBeNull()
  })

  it.each([
    ['e\u0301'.repeat(11), 'it has fewer than 12 characters'],
    ['😀'.repeat(11), 'it has fewer than 12 characters'],
    ['x'.repeat(129), 'it has more than 128 characters'],
  ])('is wrong of %j', (password, problem) => {
    expect(passwordLengthProblem(password)).toBe(problem)
    expect(unusablePassword(problem)).toBe(`You can't use this password: ${problem}.`)
  })
})

describe('checkFields', () => {
  const fields = { name: REVIEW_FIELDS.name, star: REVIEW_FIELDS.star }
  const failure = (run: () => unknown) => {
    try {
      run()
    } catch (error) {
      return error as AppError
    }
    throw new Error('It does not throw.')
  }

  it('cleans the sent fields and takes nothing else', () => {
    expect(checkFields(fields, { name: ' Sam ', star: 4.5, _id: 'x' })).toEqual({ name: 'Sam', star: 4.5 })
    expect(checkFields(fields, { name: ' Sam ', star: undefined as number | undefined })).toEqual({
      name: 'Sam',
    })
  })

  it('names every wrong field in order, then what the caller found', () => {
    const error = failure(() =>
      checkFields(fields, { name: '', star: 9 }, [{ field: 'file', message: 'None.' }]),
    )
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'invalid-input', message: 'Name is required' })
    expect(error.details).toEqual([
      { field: 'name', message: 'Name is required' },
      { field: 'star', message: 'Enter a number from 1 to 5' },
      { field: 'file', message: 'None.' },
    ])
  })

  it('reads no value from a polluted prototype', () => {
    const values = Object.create({ name: 'inherited' }) as { name?: string; star?: number }
    expect(checkFields(fields, values)).toEqual({})
  })
})

describe('the shortcut of a canned reply', () => {
  const { problem } = REPLY_FIELDS.shortcut

  it.each(['a', '0', 'exam-day', '9-', 'a'.repeat(40)])('can be %s', (shortcut) => {
    expect(problem(shortcut)).toBeNull()
  })

  it.each(['-a', 'A', 'a b', 'é', 'a_b', ' a', 'a\n', '/a', 'a'.repeat(41)])('cannot be %j', (shortcut) => {
    expect(problem(shortcut)).toMatch(/^Use up to 40 lowercase letters/)
  })

  it('is required', () => {
    expect(problem('')).toBe('Shortcut is required')
  })
})

describe('the text of a canned reply', () => {
  const { problem, clean } = REPLY_FIELDS.text

  it('has known variables only', () => {
    expect(
      problem('Hi {{visitor.name}}, {{admin.name}} of {{brand}}: {{supportEmail}}, {{exam.time}}'),
    ).toBeNull()
    for (const variable of ['visitor.email', '', ' brand ', 'Brand', '{brand', '__proto__', 'constructor']) {
      expect(problem(`Hi {{brand}} {{${variable}}}`)).toBe(`There is no variable {{${variable}}}`)
    }
  })

  it('names a long variable by its beginning', () => {
    expect(problem(`{{${'x'.repeat(3_000)}}}`)).toBe(`There is no variable {{${'x'.repeat(40)}…}}`)
    expect(problem(`{{${'x'.repeat(39)}${'😀'.repeat(9)}}}`)?.isWellFormed()).toBe(true)
  })

  it('keeps its line breaks', () => {
    expect(clean('\r\n one\r\n\r\ntwo ')).toBe(' one\n\ntwo')
  })
})
