import fastifyMultipart from '@fastify/multipart'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import { BLOG_CONTENT_BYTES_MAX, UPLOAD_BYTES_MAX } from '@proctorpass/shared/limits'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createTurns } from '../limits/semaphore.ts'

/** A form with at most one file, as it was sent: nothing in it is checked but its size and shape. */
export interface SentForm {
  /** By name; without a prototype. */
  fields: Record<string, string>
  /** Null when none was chosen. `name` and `type` are what the sender says. */
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

/** Each holds up to 10 MB until its work is done. Those beyond are not read from their connections before. */
const turn = createTurns({
  atOnce: 3,
  waitingMax: 40,
  refusal: 'Too many files are sent right now. Please try again in a moment.',
})

/** Lets the routes of this scope be sent forms with files. Others go on to refuse them. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(fastifyMultipart, { limits: LIMITS })
}

/**
 * Reads the whole form into memory and works with it, once it is its turn. Throws AppError with what is wrong, beside
 * the field where it can be told.
 */
export async function withForm<T>(request: FastifyRequest, work: (form: SentForm) => Promise<T>): Promise<T> {
  if (!request.isMultipart()) {
    throw new AppError('unsupported-media-type', 'Please send a form (multipart/form-data).')
  }
  return turn(async () => work(await readForm(request)))
}

async function readForm(request: FastifyRequest): Promise<SentForm> {
  // Its sender left while it waited.
  if (request.raw.destroyed) throw incomplete()
  const fields: SentForm['fields'] = Object.create(null)
  let file: SentForm['file'] = null
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        if (part.fieldname !== 'file') throw fieldError(part.fieldname, 'No file can be sent here.')
        const bytes = await part.toBuffer()
        // A browser sends a file without name and content where none was chosen.
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
    // What is still under way is taken and forgotten: a browser reads the answer only after it has sent everything.
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
    return fieldError('file', 'Only one file can be sent at a time.', { code: 'too-large' })
  }
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return new AppError('too-large', 'This form has too many fields.')
  }
  return incomplete(error)
}

function incomplete(cause?: unknown): AppError {
  return new AppError('invalid-input', 'The form arrived incomplete or is not well formed.', { cause })
}
