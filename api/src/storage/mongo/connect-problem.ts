import { AppError } from '@proctorpass/shared/errors'
import { MongoError, type MongoOptions, MongoServerSelectionError } from 'mongodb'

/** For the operator: why no connection could be made. Names hosts, but no user and no password. Null: not known. */
export function connectProblem(
  error: Error,
  { hosts, srvHost, tls }: Pick<MongoOptions, 'hosts' | 'srvHost' | 'tls'>,
): AppError | null {
  const message = explain(error, srvHost ?? hosts.join(', '), tls)
  return message === null ? null : new AppError('unavailable', message, { cause: error })
}

function explain(error: Error, at: string, tls: boolean): string | null {
  const { message, code = '', path } = rootOf(error)
  // 8000 is Atlas' code for this and for other refusals.
  if (code === 18 || (code === 8_000 && /auth/i.test(message)))
    return `MongoDB at ${at} refused the username or password in MONGODB_URL.`
  if (/CERT|SIGNATURE|HOSTNAME_MISMATCH/.test(String(code)))
    return `The certificate of MongoDB at ${at} isn't trusted (${message.split(';')[0]}). Set tlsCAFile in MONGODB_URL to the file of its CA.`
  if (tls && /ECONNRESET|EPROTO|ERR_SSL/.test(String(code)))
    return `MongoDB at ${at} ended the TLS handshake. If it doesn't use TLS, set tls=false in MONGODB_URL.`
  if (code === 'ECONNREFUSED')
    return `Nothing is listening at ${at}. Start MongoDB there, or correct MONGODB_URL.`
  if (path !== undefined) return `A file named in MONGODB_URL can't be read: ${path}.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host name in MONGODB_URL can't be resolved: ${at}.`
  if (!tls && (code === 'ECONNRESET' || / closed$/.test(message)))
    return `MongoDB at ${at} closed the connection without an answer. If it uses TLS, set tls=true in MONGODB_URL.`
  if (error instanceof MongoServerSelectionError && error.reason?.type.startsWith('ReplicaSet'))
    return `The replica set at ${at} has no primary, or its name differs from replicaSet in MONGODB_URL.`
  return error instanceof MongoError ? `MongoDB at ${at} doesn't answer: ${message}.` : null
}

/** The innermost cause: drivers wrap the errors of sockets and TLS. */
function rootOf(error: Error): { message: string; code?: unknown; path?: unknown } {
  let root = error
  while (root.cause instanceof Error) root = root.cause
  return root
}
