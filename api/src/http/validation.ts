import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { invalidInput } from '@proctorpass/shared/errors'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** An instance whose routes infer types from their schemas. */
export type TypedApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

const JSON_DEPTH_MAX = 20

/** Compiles a schema when it is first used, because compiling all routes' schemas would take a tenth of the start. */
export function compiledOnce<T extends TSchema>(schema: T): () => Validator<Record<never, never>, T> {
  let compiled: Validator<Record<never, never>, T> | undefined
  return () => (compiled ??= Compile(schema))
}

/**
 * Validates input without coercing or stripping it. Integers in a query, which is always text, are an exception: they
 * are parsed, but only in canonical form.
 */
export function setValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema & { properties?: Record<string, { type?: string }> }>(
    ({ schema, httpPart }) => {
      const validator = compiledOnce(schema)
      const integers = Object.entries(schema.properties ?? {})
        .filter(([, property]) => property.type === 'integer')
        .map(([name]) => name)
      return (input: unknown) => {
        const value =
          httpPart === 'querystring' ? withIntegers(input as Record<string, unknown>, integers) : input
        return validator().Check(value) ? { value } : { error: invalidInput(validator().Errors(value)) }
      }
    },
  )

  const parse = app.getDefaultJsonParser('remove', 'remove')
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isPlainJson(request.headers['content-type'] ?? '')) {
      return done(Object.assign(new Error('media type'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' }))
    }
    // Many clients name the type of every request, even of a DELETE.
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) return done(null)
    let text: string
    try {
      text = utf8.decode(body)
    } catch {
      return done(Object.assign(new Error('not UTF-8'), { code: 'FST_ERR_CTP_INVALID_JSON_BODY' }))
    }
    if (depthOf(text) > JSON_DEPTH_MAX) {
      return done(Object.assign(new Error('too deep'), { code: 'FST_ERR_CTP_INVALID_JSON_BODY' }))
    }
    return parse(request, text, done)
  })
}

/** Whether the type is UTF-8, and has no long tail that only probes the parser. */
function isPlainJson(contentType: string): boolean {
  if (contentType.length > 256) return false
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1]
  return charset === undefined || charset.toLowerCase() === 'utf-8'
}

function withIntegers(input: Record<string, unknown>, integers: string[]): Record<string, unknown> {
  const value: Record<string, unknown> = { ...input }
  for (const name of integers) {
    const text = value[name]
    if (typeof text === 'string' && /^(0|[1-9]\d{0,15})$/.test(text)) value[name] = Number(text)
  }
  return value
}

/** Returns the nesting depth of JSON text, ignoring brackets in strings. Stops counting once it is too deep. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let index = 0; index < text.length && deepest <= JSON_DEPTH_MAX; index += 1) {
    const sign = text[index]
    if (inString) {
      if (sign === '\\') index += 1
      else if (sign === '"') inString = false
    } else if (sign === '"') inString = true
    else if (sign === '{' || sign === '[') deepest = Math.max(deepest, ++depth)
    else if (sign === '}' || sign === ']') depth -= 1
  }
  return deepest
}
