import type { Readable } from 'node:stream'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import { AddedAttachmentSchema } from '@proctorpass/shared/schemas/attachment'
import { ClientIdParamSchema, ClientIdSchema } from '@proctorpass/shared/schemas/ids'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { readLimitKey } from '../auth/visitor-key.ts'
import { matchesEtag } from '../http/cached-response.ts'
import { acceptForms, type SentForm, withForm } from '../http/multipart.ts'
import { showLimit } from '../http/rate-limits.ts'
import type { TypedApp } from '../http/validation.ts'
import { type Limits, pointsForBytes } from '../limits/limits.ts'
import type { Attachments } from './attachments.ts'

const FileParamSchema = Type.Object({ clientId: ClientIdSchema, id: Type.String({ maxLength: 64 }) })
const FormSchema = Type.Object({ nonce: Type.String(), file: Type.String({ format: 'binary' }) })
const FileBytes = Type.Unsafe<Readable>({ type: 'string', format: 'binary', description: 'The file' })

/** Forbids scripts and loads if the file is opened as a page. */
const SANDBOX = "sandbox; default-src 'none'"

interface AttachmentRoutesOptions {
  attachments: Attachments
  limits: Pick<Limits, 'take' | 'charge'>
}

interface Audience {
  path: '/chat/:clientId/files' | '/chat/admin/:clientId/files'
  who: string
  callerOf: (request: FastifyRequest, clientId: string) => Caller
}

const AUDIENCES: Audience[] = [
  {
    path: '/chat/:clientId/files',
    who: 'visitor',
    callerOf: ({ admin, keyHash, ip: address }, clientId) =>
      admin ?? { side: 'visitor', clientId, keyHash, address },
  },
  {
    path: '/chat/admin/:clientId/files',
    who: 'admin',
    callerOf: adminOf,
  },
]

/** Serves attachments, in a scope of its own that accepts multipart forms. */
export async function attachmentRoutes(app: TypedApp, options: AttachmentRoutesOptions): Promise<void> {
  await acceptForms(app)
  for (const audience of AUDIENCES) {
    uploadRoute(app, options, audience)
    openRoute(app, options, audience)
  }
}

function uploadRoute(
  app: TypedApp,
  { attachments, limits }: AttachmentRoutesOptions,
  { path, who, callerOf }: Audience,
): void {
  const anyBody = (value: unknown) => ({ value })
  const compile = app.validatorCompiler as NonNullable<typeof app.validatorCompiler>
  app.post(
    path,
    {
      schema: {
        summary: `Upload a file for a message of the ${who}; the message then names it in attachments`,
        consumes: ['multipart/form-data'],
        params: ClientIdParamSchema,
        body: FormSchema,
        response: { 200: AddedAttachmentSchema, 201: AddedAttachmentSchema },
      },
      // The form is validated by withForm while it is read.
      validatorCompiler: (part) => (part.httpPart === 'body' ? anyBody : compile(part)),
    },
    async (request, reply) => {
      const { clientId } = request.params
      const caller = callerOf(request, clientId)
      await attachments.admit(caller, clientId)
      const store = async ({ fields, file }: SentForm) => {
        await limits.charge('address', request.ip, pointsForBytes(file?.bytes.length ?? 0))
        return attachments.upload(caller, { clientId, nonce: fields.nonce, file })
      }
      const { attachment, repeated } = await withForm(request, store, caller.side)
      reply.code(repeated ? 200 : 201)
      return { message: 'File uploaded', data: attachment }
    },
  )
}

function openRoute(
  app: TypedApp,
  { attachments, limits }: AttachmentRoutesOptions,
  { path, who, callerOf }: Audience,
): void {
  app.get(
    `${path}/:id`,
    {
      schema: {
        summary: `A file of a conversation, for the ${who}`,
        params: FileParamSchema,
        response: { 200: FileBytes },
      },
    },
    async (request, reply) => {
      const { clientId, id } = request.params
      const caller = callerOf(request, clientId)
      if (caller.side === 'visitor') {
        showLimit(reply, 'poll', await limits.take('poll', readLimitKey(clientId, request.ip)))
      }
      const { attachment, size, stream } = await attachments.open(caller, clientId, id)
      const etag = `"${id}"`
      const headed = setFileHeaders(reply, attachment).header('etag', etag)
      if (matchesEtag(request.headers['if-none-match'], etag)) {
        stream.destroy()
        return headed.code(304).send()
      }
      await limits.charge('address', request.ip, pointsForBytes(size))
      reply.type(attachment.type).header('content-length', size)
      // Closes the file when the client disconnects.
      reply.raw.once('close', () => stream.destroy())
      return reply.send(stream)
    },
  )
}

/**
 * Sets headers that make clients ask again each time, because the callers who may see a file change, and an erased file
 * is gone at once.
 */
function setFileHeaders(reply: FastifyReply, { name, type }: Attachment): FastifyReply {
  const place = type.startsWith('image/') ? 'inline' : 'attachment'
  return reply.headers({
    'cache-control': 'private, no-cache',
    'content-security-policy': SANDBOX,
    'x-content-type-options': 'nosniff',
    'content-disposition': `${place}; ${fileNameParameters(name)}`,
  })
}

/** Returns the file name in UTF-8, and in ASCII for clients that know no other charset (RFC 6266). */
function fileNameParameters(name: string): string {
  const ascii = name.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`
}
