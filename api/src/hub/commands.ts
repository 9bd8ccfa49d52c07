import { randomUUID } from 'node:crypto'
import {
  AppError,
  type ErrorCode,
  invalidInput,
  type SchemaProblem,
  toWireError,
  type WireError,
} from '@proctorpass/shared/errors'
import type { Ack, Side } from '@proctorpass/shared/events'
import type { Socket } from 'socket.io'
import type { Static, TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import { commandAccess } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { createOutageLog } from '../http/logging.ts'
import { ERRORS_LISTED, REFUSALS_LISTED } from '../http/refusal-log.ts'
import { compiledOnce } from '../http/validation.ts'
import { spend } from './budget.ts'
import type { HubOptions, SocketData } from './types.ts'

// biome-ignore lint/suspicious/noExplicitAny: serves the sockets of both namespaces; their tables are typed.
type AnySocket = Socket<any, any, any, SocketData<Caller>>

interface Command<S, Input, Answer> {
  validator: () => Validator
  run: (socket: S, input: Input) => Answer | Promise<Answer>
}

/**
 * Holds one entry for each of a namespace's commands. A missing entry, or one with another answer, does not compile.
 */
export type CommandTable<Commands, S> = {
  [E in keyof Commands]: Commands[E] extends (
    input: infer Input,
    reply: (answer: Ack<infer Answer>) => void,
  ) => void
    ? Command<S, Input, Answer>
    : never
}

/** Pairs a command's schema with its use case, which checks what the caller may do there. */
export function command<S, T extends TSchema, Answer>(
  schema: T,
  run: (socket: S, input: Static<T>) => Answer | Promise<Answer>,
): Command<S, Static<T>, Answer> {
  return { validator: compiledOnce(schema) as unknown as () => Validator, run }
}

/**
 * Serves a namespace's commands: checks the budget and the access, validates the input, calls the use case, and
 * acknowledges. Socket.IO itself neither validates nor catches. A failed command without an acknowledgement gets no
 * answer. Throws when a command has no row in COMMAND_ACCESS.
 */
export function serveCommands<Commands, S extends AnySocket>(
  namespace: string,
  table: CommandTable<Commands, S>,
  { log, refusals, rateLimits, observer }: Pick<HubOptions, 'log' | 'refusals' | 'rateLimits' | 'observer'>,
): (socket: S) => void {
  const logOutage = createOutageLog(log)
  // In a Map, `constructor` and `__proto__` are unknown commands.
  const commands = new Map<string, Command<S, unknown, unknown> & { access: Side }>()
  for (const [name, entry] of Object.entries<Command<S, unknown, unknown>>(table)) {
    commands.set(name, { ...entry, access: commandAccess(namespace, name) })
  }

  /** Logs the failure. The returned error carries its log line's ID. */
  function failed(error: unknown, name: string, socket: S): WireError {
    const requestId = randomUUID()
    const code: ErrorCode = error instanceof AppError ? error.code : 'internal'
    observer?.refused(code)
    // An unknown name is the sender's text, which the log must not hold.
    const line = { requestId, connection: socket.id, command: commands.has(name) ? name : 'unknown', code }
    if (code === 'internal') {
      const cause = `error ${line.command} ${(error as Error).name}`
      if (refusals.mayList(cause, ERRORS_LISTED)) log.error({ ...line, err: error }, 'command failed')
    }
    // A socket over its budget usually sends many such commands.
    else if (code === 'rate-limited') log.debug(line, 'command refused')
    else if (refusals.mayList(`command ${code}`, REFUSALS_LISTED)) log.info(line, 'command refused')
    if (code === 'unavailable') logOutage(error as AppError)
    return toWireError(error, requestId)
  }

  return (socket) => {
    // One listener serves all commands, so that an idle visitor costs one closure.
    socket.onAny((name: string, ...args: unknown[]) => {
      const last = args.at(-1)
      const reply = typeof last === 'function' ? (last as (answer: Ack<unknown>) => void) : null
      const refuse = (error: unknown) => {
        const answer = failed(error, name, socket)
        reply?.({ ok: false, error: answer })
      }

      if (rateLimits) {
        const wait = spend(socket.data.budget, Date.now())
        if (wait === 'abuse') return void socket.disconnect(true)
        if (wait > 0) return refuse(tooFast(wait))
      }
      const known = commands.get(name)
      if (known === undefined) return refuse(new AppError('invalid-input', 'Unknown command.'))
      if (socket.data.caller.side !== known.access) {
        return refuse(new AppError('forbidden', "You aren't allowed to use this command."))
      }
      const [input] = args
      const validator = known.validator()
      if (!validator.Check(input)) {
        return refuse(invalidInput(validator.Errors(input) as SchemaProblem[]))
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
  return new AppError('rate-limited', "You're sending too much at once. Wait a second and try again.", {
    retryAfterMs,
  })
}
