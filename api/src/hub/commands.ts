import { randomUUID } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { Ack } from '@proctorpass/shared/events'
import type { FastifyBaseLogger } from 'fastify'
import type { Socket } from 'socket.io'
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { invalidInput, type SchemaProblem, toWireError } from '../services/wire-error.ts'
import { spend } from './budget.ts'
import type { SocketData } from './types.ts'

// biome-ignore lint/suspicious/noExplicitAny: serves the sockets of both namespaces; their tables are typed.
type AnySocket = Socket<any, any, any, SocketData<any>>

interface Command<S, Input, Answer> {
  validator: Validator
  run: (socket: S, input: Input) => Answer | Promise<Answer>
}

/** One entry for each command of a namespace: a missing one, or one that answers something else, does not compile. */
export type CommandTable<Commands, S> = {
  [E in keyof Commands]: Commands[E] extends (
    input: infer Input,
    reply: (answer: Ack<infer Answer>) => void,
  ) => void
    ? Command<S, Input, Answer>
    : never
}

/** A command's schema, compiled once at start, and its use case. Permission is the use case's own matter. */
export function command<S, T extends TSchema, Answer>(
  schema: T,
  run: (socket: S, input: Static<T>) => Answer | Promise<Answer>,
): Command<S, Static<T>, Answer> {
  return { validator: Compile(schema) as unknown as Validator, run }
}

/**
 * The one way in for everything a socket says: counted, looked up, checked, run, acknowledged. Socket.IO itself
 * neither validates nor catches. What nobody asked an answer for stays silent when it fails.
 */
export function serveCommands<Commands, S extends AnySocket>(
  table: CommandTable<Commands, S>,
  options: { log: FastifyBaseLogger; limited: boolean },
): (socket: S) => void {
  // A Map, so that `constructor` and `__proto__` are commands that nobody knows.
  const commands = new Map(Object.entries(table) as [string, Command<S, unknown, unknown>][])
  return (socket) => {
    // One listener for all commands: an idle visitor costs one closure.
    socket.onAny((event: string, ...args: unknown[]) => {
      const last = args.at(-1)
      const reply = typeof last === 'function' ? (last as (answer: Ack<unknown>) => void) : null
      const refuse = (error: unknown) => reply?.({ ok: false, error: toWireError(error, randomUUID()) })

      if (options.limited) {
        const wait = spend(socket.data.budget, Date.now())
        if (wait === 'abuse') return void socket.disconnect(true)
        if (wait > 0) return refuse(tooFast(wait))
      }
      const known = commands.get(event)
      if (known === undefined) return refuse(new AppError('invalid-input', 'There is no such command.'))
      const [input] = args
      if (!known.validator.Check(input)) {
        return refuse(invalidInput(known.validator.Errors(input) as SchemaProblem[]))
      }
      void run(known, socket, input, reply, options.log)
    })
  }
}

async function run<S extends AnySocket>(
  { run }: Command<S, unknown, unknown>,
  socket: S,
  input: unknown,
  reply: ((answer: Ack<unknown>) => void) | null,
  log: FastifyBaseLogger,
): Promise<void> {
  try {
    const data = await run(socket, input)
    reply?.({ ok: true, data })
  } catch (error) {
    const requestId = randomUUID()
    if (!(error instanceof AppError) || error.code === 'unavailable') {
      log.error({ err: error, requestId }, 'A command failed')
    }
    reply?.({ ok: false, error: toWireError(error, requestId) })
  }
}

function tooFast(retryAfterMs: number): AppError {
  return new AppError('rate-limited', 'That was a lot at once. Please wait a second and try again.', {
    retryAfterMs,
  })
}
