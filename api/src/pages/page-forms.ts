import { AppError, toWireError } from '@proctorpass/shared/errors'
import type { FormState } from '@proctorpass/shared/ssr'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Contacts } from '../content/contacts.ts'
import type { Reviews } from '../content/reviews.ts'

/** A form of a page that also works without scripts. */
interface PageForm {
  /** What is shown again when something was wrong. */
  fields: readonly string[]
  /** Resolves with the success message. `field` answers '' for what was not sent, the first of what was twice. */
  send(field: (name: string) => string, address: string): Promise<string>
}

/** By the path of the page, to which its form is posted. */
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
    send: (field, address) => {
      const star = field('star').trim()
      return reviews.submit(
        {
          name: field('name'),
          // What is no number is out of range.
          star: star === '' ? 0 : Number(star) || -1,
          review: field('review'),
          website: field('website'),
        },
        address,
      )
    },
  }
  return { '/': contact, '/contact': contact, '/reviews': review }
}

/** Answers the page with what came of its form. */
type AnswerPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  status: number,
) => Promise<FastifyReply>

/** Takes each form at the address of its page. Only here is a form's encoding understood. */
export async function takeForms(app: FastifyInstance, forms: PageForms, answer: AnswerPage): Promise<void> {
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
          return answer(request, reply, state, status)
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
    if (status >= 500) request.log.error({ err: error }, 'a form could not be taken')
    const { message, details, retryAfterMs } = toWireError(error, request.id)
    if (retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(retryAfterMs / 1_000))
    const values = Object.fromEntries(form.fields.map((name) => [name, field(name)]))
    return { state: { values, errors: details ?? [{ field: '', message }], message: null }, status }
  }
}

/** A page that shows what was wrong is well made itself: 422 instead of 400. */
function statusOf(error: unknown): number {
  if (!(error instanceof AppError)) return 500
  return error.code === 'invalid-input' ? 422 : error.status
}
