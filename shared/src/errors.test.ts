import { describe, expect, it } from 'vitest'
import {
  AppError,
  ERRORS,
  fieldError,
  fieldErrors,
  fromWireError,
  invalidInput,
  toWireError,
} from './errors.ts'

describe('fieldErrors', () => {
  it('shows the first message for the form as a whole', () => {
    const details = [
      { field: 'title', message: 'Title is required' },
      { field: 'slug', message: 'Taken.' },
    ]
    expect(fieldErrors(details)).toMatchObject({
      code: 'invalid-input',
      message: 'Title is required',
      details,
    })
  })

  it('takes another code, and a cause that stays in the process', () => {
    const cause = new Error('inside')
    const error = fieldError('file', 'Too large.', { code: 'too-large', cause })
    expect(error).toMatchObject({ status: 413, retryable: false, cause })
    expect(JSON.stringify(toWireError(error, '1'))).not.toContain('inside')
  })
})

describe('an error on the wire', () => {
  it('is decoded as it was encoded', () => {
    const details = [{ field: 'a', message: 'b' }]
    const error = new AppError('rate-limited', 'Too fast.', { details, retryAfterMs: 2_500 })
    const wire = JSON.parse(JSON.stringify(toWireError(error, 'r1')))
    expect(wire).toEqual({
      message: 'Too fast.',
      code: 'rate-limited',
      details,
      retryable: true,
      retryAfterMs: 2_500,
      requestId: 'r1',
    })
    expect(fromWireError(wire)).toEqual(error)
  })

  it('waits at least as long as the error says, in whole milliseconds', () => {
    expect(toWireError(new AppError('rate-limited', 'm', { retryAfterMs: 0.2 }), '').retryAfterMs).toBe(1)
  })

  it('reveals nothing of an unexpected error', () => {
    for (const unexpected of [new Error('secret'), 'secret', null, { message: 'secret', code: 'conflict' }]) {
      const wire = toWireError(unexpected, 'r1')
      expect(wire).toMatchObject({ code: 'internal', retryable: true, requestId: 'r1' })
      expect(JSON.stringify(wire)).not.toContain('secret')
    }
  })

  it.each([
    undefined,
    null,
    'text',
    7,
    [],
    {},
    { message: 'from a proxy' },
    { code: 404, message: 'x', requestId: 'r1' },
    { code: 'forbidden', message: 'Forbidden' },
    { code: 'forbidden', requestId: 'r1' },
    { code: 'forbidden', message: '', requestId: 'r1' },
    { code: 'forbidden', message: { en: 'No' }, requestId: 'r1' },
  ])('is not %j', (body) => {
    expect(fromWireError(body)).toBeNull()
  })

  it('knows by `retryable` whether to repeat a call that is refused with an unknown code', () => {
    const code = (body: object) => fromWireError({ message: 'm', requestId: 'r1', ...body })?.code
    expect(code({ code: 'of-tomorrow', retryable: false })).toBe('invalid-input')
    expect(code({ code: 'of-tomorrow', retryable: true })).toBe('internal')
    expect(code({ code: 'toString' })).toBe('internal')
    for (const known of Object.keys(ERRORS)) expect(code({ code: known })).toBe(known)
  })

  it.each([{ details: { field: 'a' } }, { details: 'no' }, { details: null }, { retryAfterMs: 'soon' }])(
    'drops a part of another type: %j',
    (part) => {
      const error = fromWireError({ code: 'internal', message: 'm', requestId: 'r1', ...part })
      expect([error?.details, error?.retryAfterMs]).toEqual([undefined, undefined])
    },
  )
})

describe('invalidInput', () => {
  const problem = (
    keyword: string,
    params: object,
    instancePath = '/title',
    message = 'as the schema says',
  ) => ({
    keyword,
    instancePath,
    params,
    message,
  })

  it.each([
    [problem('type', { type: 'string' }), 'title must be text.'],
    [problem('type', { type: 'null' }), 'title must be null.'],
    [problem('minLength', { limit: 1 }), 'title is required.'],
    [problem('minLength', { limit: 2 }), 'title must have at least 2 characters.'],
    [problem('maxLength', { limit: 9 }), 'title must have at most 9 characters.'],
    [problem('minimum', { limit: 1 }), 'title must be 1 or more.'],
    [problem('maximum', { limit: 5 }), 'title must be 5 or less.'],
    [problem('minItems', { limit: 1 }), 'title must not be empty.'],
    [problem('maxItems', { limit: 5 }), 'title must have at most 5 entries.'],
    [problem('pattern', { pattern: '^a$' }), 'title has the wrong format.'],
    [problem('const', { allowedValue: 'soon' }), 'title must be "soon".'],
    [problem('enum', {}), 'title as the schema says.'],
    [problem('boolean', {}), "title isn't a known field."],
    [problem('anyOf', {}), "title isn't valid."],
    [problem('type', { type: 'object' }, ''), 'The input must be an object.'],
    [problem('required', { requiredProperties: ['nonce'] }, ''), 'nonce is required.'],
    [problem('required', { missingProperty: 'b' }, '/a'), 'a/b is required.'],
  ])('words %j', (given, message) => {
    expect(invalidInput([given])).toMatchObject({ code: 'invalid-input', message })
  })

  it('names each field once, and ten at most', () => {
    const problems = Array.from({ length: 30 }, (_, index) =>
      problem('type', { type: 'string' }, `/${index >> 1}`),
    )
    const fields = invalidInput(problems).details?.map(({ field }) => field)
    expect(fields).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    const one = ['open', 'resolved'].map((allowedValue) => problem('const', { allowedValue }, '/status'))
    expect(invalidInput(one).details).toEqual([{ field: 'status', message: 'must be "open" or "resolved"' }])
    expect(invalidInput([])).toMatchObject({ message: "The input isn't valid.", details: [] })
  })

  it('names an unknown field, and not the object that has it', () => {
    const problems = [problem('boolean', {}, '/asked'), problem('additionalProperties', {}, '')]
    expect(invalidInput(problems).details).toEqual([{ field: 'asked', message: "isn't a known field" }])
  })

  it('repeats no more than the beginning of a long path', () => {
    const [detail] =
      invalidInput([problem('type', { type: 'string' }, `/${'x'.repeat(1_000)}`)]).details ?? []
    expect(detail?.field).toHaveLength(100)
  })
})
