import fastifyMultipart from '@fastify/multipart'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { BLOG_CONTENT_BYTES_MAX, UPLOAD_BYTES_MAX } from '@proctorpass/shared/limits'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../limits/limits.ts'
import { createSemaphore } from '../limits/semaphore.ts'

/** A form with at most one file, as sent: only its size and shape were checked. */
export interface SentForm {
  /** By name; null-prototype. */
  fields: Record<string, string>
  /** Null when none was chosen. `name` and `type` are the sender's claims. */
  file: { name: string; type: string; bytes: Buffer } | null
}

const LIMITS = {
  fields: 12,
  files: 1,
  parts: 13,
  fieldNameSize: 100,
  fieldSize: BLOG_CONTENT_BYTES_MAX,
  fileSize: UPLOAD_BYTES_MAX,
  headerPairs: 20,
}

/** Each form holds up to 10 MB until its work is done. Waiting ones are not read from their connections. */
const REFUSAL = 'Too many files are being sent. Try again in a moment.'
const semaphores = {
  admin: createSemaphore({ atOnce: 3, waitingMax: 40, refusal: REFUSAL }),
  // Senders who are slow on purpose keep neither admins waiting, nor visitors of other addresses.
  visitor: createSemaphore({
    ...{ atOnce: 8, waitingMax: 80, refusal: REFUSAL },
    ofKey: { atOnce: 2, waitingMax: 20 },
  }),
}
/** A form that arrives more slowly is cut off: 2 KB a second, a third of what the slowest phones send. */
const SLOWEST = { bytes: 32 * 1024, ms: 15_000 }

/** Accepts multipart forms in the routes of this scope. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(fastifyMultipart, { limits: LIMITS })
}

/** Waits for the semaphore of that side, reads the whole form into memory and runs `work`. Throws AppError with the field's name. */
export async function withForm<T>(
  request: FastifyRequest,
  work: (form: SentForm) => Promise<T>,
  side: Side = 'admin',
): Promise<T> {
  if (!request.isMultipart()) {
    throw new AppError('unsupported-media-type', 'Send a form (multipart/form-data).')
  }
  return semaphores[side](async () => work(await whileItMoves(request)), { key: networkOf(request.ip) })
}

async function whileItMoves(request: FastifyRequest): Promise<SentForm> {
  const { raw } = request
  let before = raw.socket.bytesRead
  const timer = setInterval(() => {
    if (raw.socket.bytesRead - before < SLOWEST.bytes) raw.destroy()
    before = raw.socket.bytesRead
  }, SLOWEST.ms)
  try {
    return await readForm(request)
  } finally {
    clearInterval(timer)
  }
}

async function readForm(request: FastifyRequest): Promise<SentForm> {
  // The sender disconnected while waiting.
  if (request.raw.destroyed) throw incomplete()
  const fields: SentForm['fields'] = Object.create(null)
  let file: SentForm['file'] = null
  try {
    for await (const part of request.parts()) {
      // The parser passes parts without a name, which its types do not say.
      if (typeof part.fieldname !== 'string') throw incomplete()
      if (part.type === 'file') {
        if (part.fieldname !== 'file') throw fieldError(part.fieldname, "Files can't be sent here.")
        const bytes = await part.toBuffer()
        // Browsers send a file without name and content when none was chosen.
        if (part.filename || bytes.length > 0) {
          file = { name: part.filename ?? '', type: part.mimetype, bytes }
        }
      } else {
        const { fieldname, value, valueTruncated } = part
        if (valueTruncated) throw fieldError(fieldname, 'This is too long.', { code: 'too-large' })
        if (typeof value !== 'string') throw fieldError(fieldname, 'This must be text.')
        if (fieldname in fields) throw fieldError(fieldname, 'This was sent twice.')
        fields[fieldname] = value
      }
    }
  } catch (error) {
    // Discard the rest: browsers read the answer only after they sent everything.
    request.raw.unpipe()
    request.raw.resume()
    throw readable(error)
  }
  return { fields, file }
}

function readable(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code } = error as { code?: string }
  if (code === 'FST_REQ_FILE_TOO_LARGE') {
    return fieldError('file', 'This file is larger than 10 MB.', { code: 'too-large' })
  }
  if (code === 'FST_FILES_LIMIT') {
    return fieldError('file', 'Send one file at a time.', { code: 'too-large' })
  }
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return new AppError('too-large', 'This form has too many fields.')
  }
  return incomplete(error)
}

function incomplete(cause?: unknown): AppError {
  return new AppError('invalid-input', 'The form is incomplete or malformed.', { cause })
}
