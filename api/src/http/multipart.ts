import fastifyMultipart, { type MultipartFile } from '@fastify/multipart'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { BLOG_CONTENT_BYTES_MAX, UPLOAD_BYTES_MAX } from '@proctorpass/shared/limits'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../limits/networks.ts'
import { createSemaphore } from '../limits/semaphore.ts'
import { createHeldBytes } from './held-bytes.ts'

/** A form with at most one file, as it was sent: only its size and shape were checked. */
export interface SentForm {
  /** The fields by name, in an object without a prototype. */
  fields: Record<string, string>
  /** Null if no file was chosen. `name` and `type` are the sender's claims. */
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

/** A visitor's form has a file and its nonce. */
const VISITOR_LIMITS = { ...LIMITS, fields: 2, parts: 3, fieldSize: 1_024 }

/** While a form waits, nothing is read from its connection. */
const refusal = 'Too many files are being sent. Try again in a moment.'
/**
 * People who send slowly on purpose must not keep admins waiting, nor visitors from other networks. A slow form holds
 * few bytes, so many are read at once, and instead their bytes are bounded. A hosting provider gives one person many of
 * the networks that limits count, but rarely two of the wider ones.
 */
const VISITOR_FORMS = { ofNetwork: 2, ofWiderNetwork: 8, all: 64 }
/** By the HTTP server, because a process of a simulation has several. */
const formsOfServers = new WeakMap<FastifyInstance['server'], ReturnType<typeof createForms>>()

function createForms() {
  return {
    /** Each admin's form holds up to 10 MB until its work is done. */
    ofAdmins: createSemaphore({ atOnce: 3, waitingMax: 40, refusal }),
    ofNetworks: createSemaphore({
      ...{ atOnce: Number.POSITIVE_INFINITY, waitingMax: 400, refusal },
      ofKey: { atOnce: VISITOR_FORMS.ofNetwork, waitingMax: 20 },
    }),
    ofVisitors: createSemaphore({
      ...{ atOnce: VISITOR_FORMS.all, waitingMax: 160, refusal },
      ofKey: { atOnce: VISITOR_FORMS.ofWiderNetwork, waitingMax: 40 },
    }),
    bytesOfVisitors: createHeldBytes(4 * UPLOAD_BYTES_MAX),
  }
}

function formsOf({ server }: FastifyInstance) {
  const forms = formsOfServers.get(server) ?? createForms()
  formsOfServers.set(server, forms)
  return forms
}

/** A form that arrives more slowly is cut off: 2 KB a second is a third of what the slowest phones send. */
const SLOWEST = { bytes: 32 * 1024, ms: 15_000 }

/** Accepts multipart forms in this scope's routes. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(fastifyMultipart, { limits: LIMITS })
}

/**
 * Reads the whole form into memory and runs `work` when a place among its side's forms is free. Throws an AppError with
 * the field's name.
 */
export async function withForm<T>(
  request: FastifyRequest,
  work: (form: SentForm) => Promise<T>,
  side: Side = 'admin',
): Promise<T> {
  if (!request.isMultipart()) {
    throw new AppError('unsupported-media-type', 'Send a form (multipart/form-data).')
  }
  const { ofAdmins, ofNetworks, ofVisitors } = formsOf(request.server)
  if (side === 'admin')
    return ofAdmins(async () => work(await whileItMoves(request, readForm(request, LIMITS))))
  const key = networkOf(request.ip)
  const widerKey = networkOf(request.ip, 3)
  return ofNetworks(() => ofVisitors(() => workOnHeld(request, key, work), { key: widerKey }), { key })
}

async function workOnHeld<T>(
  request: FastifyRequest,
  network: string,
  work: (form: SentForm) => Promise<T>,
): Promise<T> {
  const held = formsOf(request.server).bytesOfVisitors.begin(network, () => request.raw.destroy())
  try {
    const form = await whileItMoves(request, readForm(request, VISITOR_LIMITS, held.add))
    held.read()
    return await work(form)
  } finally {
    held.end()
  }
}

async function whileItMoves(request: FastifyRequest, reading: Promise<SentForm>): Promise<SentForm> {
  const { raw } = request
  let before = raw.socket.bytesRead
  const timer = setInterval(() => {
    if (raw.socket.bytesRead - before < SLOWEST.bytes) raw.destroy()
    before = raw.socket.bytesRead
  }, SLOWEST.ms)
  try {
    return await reading
  } finally {
    clearInterval(timer)
  }
}

async function readForm(
  request: FastifyRequest,
  limits: typeof LIMITS,
  onBytes: (count: number) => void = () => {},
): Promise<SentForm> {
  // The sender disconnected while waiting.
  if (request.raw.destroyed) throw incomplete()
  const fields: SentForm['fields'] = Object.create(null)
  let file: SentForm['file'] = null
  try {
    for await (const part of request.parts({ limits })) {
      // The parser passes parts without a name, although its types say otherwise.
      if (typeof part.fieldname !== 'string') throw incomplete()
      if (part.type === 'file') {
        if (part.fieldname !== 'file') throw fieldError(part.fieldname, "Files can't be sent here.")
        const bytes = await bytesOf(part.file, onBytes)
        // Browsers send a file without name and content if none was chosen.
        if (part.filename || bytes.length > 0) {
          file = { name: unescaped(part.filename ?? ''), type: part.mimetype, bytes }
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
    // The rest is discarded, because browsers read the answer only after they sent everything.
    request.raw.unpipe()
    request.raw.resume()
    throw readable(error)
  }
  return { fields, file }
}

/** Restores the three characters that browsers escape in a file name. They do not escape percent signs. */
function unescaped(name: string): string {
  return name.replace(/%(?:0A|0D|22)/g, decodeURIComponent)
}

/** Reads into memory that grows with what arrives, and that is freed at once if the form is cut off. */
async function bytesOf(file: MultipartFile['file'], onBytes: (count: number) => void): Promise<Buffer> {
  const memory = new ArrayBuffer(0, { maxByteLength: UPLOAD_BYTES_MAX })
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) {
      const from = memory.byteLength
      memory.resize(from + chunk.length)
      new Uint8Array(memory).set(chunk, from)
      onBytes(chunk.length)
    }
    if (file.truncated) throw fieldError('file', 'This file is larger than 10 MB.', { code: 'too-large' })
    return Buffer.from(memory.transferToFixedLength())
  } catch (error) {
    memory.resize(0)
    throw error
  }
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
