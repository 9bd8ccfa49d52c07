import { AppError, toWireError } from '@proctorpass/shared/errors'
import { starsFrom } from '@proctorpass/shared/fields/review'
import type { FormState } from '@proctorpass/shared/ssr'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Contacts } from '../content/contacts.ts'
import type { Reviews } from '../content/reviews.ts'
import { logError } from '../http/logging.ts'

/** A page's form that also works without scripts. */
interface PageForm {
  /** The fields that the page shows again with errors. */
  fields: readonly string[]
  /** Resolves to the success message. `field` returns the first of duplicate fields, and '' for a missing one. */
  send(field: (name: string) => string, address: string): Promise<string>
}

/** The forms by the path of their page, to which they post. */
export type PageForms = Readonly<Record<string, PageForm>>

export function createPageForms({ contacts, reviews }: { contacts: Contacts; reviews: Reviews }): PageForms {
  const contact: PageForm = {
    fields: ['email', 'title', 'message'],
    send: (field, address) =>
      contacts.send(
        {
          email: field('email'),
          title: field('title'),
          message: field('message'),
          website: field('website'),
        },
        address,
      ),
  }
  const review: PageForm = {
    fields: ['name', 'star', 'review'],
    send: (field, address) =>
      reviews.submit(
        {
          name: field('name'),
          star: starsFrom(field('star')),
          review: field('review'),
          website: field('website'),
        },
        address,
      ),
  }
  return { '/': contact, '/contact': contact, '/reviews': review }
}

/** Sends the page with its form's result. */
type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  status: number,
) => Promise<FastifyReply>

/** Accepts each form at its page's address. No other route parses form encoding. */
export async function registerForms(app: FastifyInstance, forms: PageForms, send: SendPage): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser<string>(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, new URLSearchParams(body)),
    )
    for (const [path, form] of Object.entries(forms)) {
      scope.post<{ Body: URLSearchParams | undefined }>(
        path,
        { schema: { hide: true } },
        async (request, reply) => {
          const { state, status } = await submit(form, request, reply)
          return send(request, reply, state, status)
        },
      )
    }
  })
}

async function submit(
  form: PageForm,
  request: FastifyRequest<{ Body: URLSearchParams | undefined }>,
  reply: FastifyReply,
): Promise<{ state: FormState; status: number }> {
  const field = (name: string) => request.body?.get(name) ?? ''
  try {
    return { state: { values: {}, errors: [], message: await form.send(field, request.ip) }, status: 200 }
  } catch (error) {
    const status = statusOf(error)
    if (status >= 500) logError(request, error, 'a form failed')
    const { message, details, retryAfterMs } = toWireError(error, request.id)
    if (retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(retryAfterMs / 1_000))
    const values = Object.fromEntries(form.fields.map((name) => [name, field(name)]))
    return { state: { values, errors: details ?? [{ field: '', message }], message: null }, status }
  }
}

/** Returns 422 for invalid input, because the request itself was well-formed. */
function statusOf(error: unknown): number {
  if (!(error instanceof AppError)) return 500
  return error.code === 'invalid-input' ? 422 : error.status
}
