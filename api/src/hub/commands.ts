import { randomUUID } from 'node:crypto'
import {
  AppError,
  type ErrorCode,
  invalidInput,
  type SchemaProblem,
  toWireError,
  type WireError,
} from '@proctorpass/shared/errors'
import type { Ack } from '@proctorpass/shared/events'
import type { FastifyBaseLogger } from 'fastify'
import type { Socket } from 'socket.io'
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { createOutageLog } from '../http/logging.ts'
import { REFUSALS_LISTED, type RefusalLog } from '../http/refusal-log.ts'
import { spend } from './budget.ts'
import type { HubObserver, SocketData } from './types.ts'

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
  {
    log,
    refusals,
    limited,
    observer,
  }: {
    log: FastifyBaseLogger
    refusals: RefusalLog
    limited: boolean
    observer?: HubObserver | undefined
  },
): (socket: S) => void {
  const logOutage = createOutageLog(log)
  // A Map, so that `constructor` and `__proto__` are unknown commands.
  const commands = new Map(Object.entries(table) as [string, Command<S, unknown, unknown>][])

  /** The answer carries the id of its line in the log. */
  function failed(error: unknown, name: string, socket: S): WireError {
    const requestId = randomUUID()
    const code: ErrorCode = error instanceof AppError ? error.code : 'internal'
    observer?.refused(code)
    // What is no command of ours is the sender's own text.
    const line = { requestId, connection: socket.id, command: commands.has(name) ? name : 'unknown', code }
    if (code === 'internal') log.error({ ...line, err: error }, 'A command failed')
    // A socket that is too fast is so many times.
    else if (code === 'rate-limited') log.debug(line, 'command refused')
    else if (refusals.mayList(`command ${code}`, REFUSALS_LISTED)) log.info(line, 'command refused')
    if (code === 'unavailable') logOutage(error as AppError)
    return toWireError(error, requestId)
  }

  return (socket) => {
    // One listener for all commands: an idle visitor costs one closure.
    socket.onAny((event: string, ...args: unknown[]) => {
      const last = args.at(-1)
      const reply = typeof last === 'function' ? (last as (answer: Ack<unknown>) => void) : null
      const refuse = (error: unknown) => {
        const answer = failed(error, event, socket)
        reply?.({ ok: false, error: answer })
      }

      if (limited) {
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
      void run(known, socket, input, reply, refuse)
    })
  }
}

async function run<S extends AnySocket>(
  { run }: Command<S, unknown, unknown>,
  socket: S,
  input: unknown,
  reply: ((answer: Ack<unknown>) => void) | null,
  refuse: (error: unknown) => void,
): Promise<void> {
  try {
    const data = await run(socket, input)
    reply?.({ ok: true, data })
  } catch (error) {
    refuse(error)
  }
}

function tooFast(retryAfterMs: number): AppError {
  return new AppError('rate-limited', 'That was a lot at once. Please wait a second and try again.', {
    retryAfterMs,
  })
}
