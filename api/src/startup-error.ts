import { EnvError } from './env/env.ts'
import { withoutValues } from './http/without-values.ts'
import { isFull } from './limits/disk-space.ts'
import { DatabaseProblem, isDiskFull, isStoreOutage } from './storage/sqlite/database-health.ts'

/** Describes a failed start in one sentence for the operator. */
export async function startupErrorMessage(error: unknown, dataDir: string): Promise<string> {
  if (error instanceof EnvError || error instanceof DatabaseProblem) return error.message
  if (isDiskFull(error) || (isStoreOutage(error) && (await isFull(dataDir)))) {
    return `The disk that holds DATA_DIR (${dataDir}) is full. Free some space, then start again.`
  }
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use. Stop the other program, or set PORT to another port.`
  if (code === 'EACCES') return `Permission denied: ${message}`
  // The database drivers resolve a store's name with other system calls.
  if (code === 'EADDRNOTAVAIL' || (code === 'ENOTFOUND' && syscall === 'getaddrinfo'))
    return "HOST isn't an address of this machine."
  return `The server can't start: ${withoutValues(message)}`
}
