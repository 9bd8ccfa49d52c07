import { type ChildProcess, execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import { commandLine, programFile } from '../../installation.ts'

/**
 * Checking 1 GB takes 2 to 3 s from memory and 14 s from a cold disk. So a start does not wait for the check of a larger
 * store, which would outlast the timeout.
 */
const START_TIMEOUT_MS = 3_000
const WAITED_FOR_BYTES = 1_024 ** 3
const QUICK_CHECK = programFile('storage/sqlite/quick-check.mjs')
const RESTORE = `DATA_DIR=FOLDER ${commandLine('restore', 'FILE')}`

/** SQLite's primary result codes for damage: CORRUPT, NOTADB. */
const DAMAGED = new Set([11, 26])
const FULL = 13
/** Result codes for problems with the disk or another process: BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN. */
const OUTAGE = new Set([5, 6, 8, 10, 13, 14])

/** The database cannot be opened. The message tells the operator the remedy. */
export class DatabaseProblem extends Error {}

/**
 * Knows whether the embedded database is sound. A check of the file or any statement can find damage, which is final.
 * @see docs/decisions/0036-full-and-damaged-disks.md
 */
export class DatabaseHealth {
  readonly #file: string
  readonly #onDamage: (problem: DatabaseProblem) => void
  #damage: DatabaseProblem | null = null
  #writeError: AppError | null = null
  #checker: ChildProcess | null = null

  /** @param onDamage called at most once, for damage that is found after the start */
  constructor(file: string, onDamage: (problem: DatabaseProblem) => void = () => {}) {
    this.#file = file
    this.#onDamage = onDamage
  }

  /** Throws AppError `unavailable` once the database is known to be damaged. */
  assertSound(): void {
    if (this.#damage !== null) {
      throw new AppError('unavailable', 'The database is damaged.', { retryAfterMs: 30_000 })
    }
  }

  /** Records how the last transaction ended. */
  writeEnded(error?: unknown): void {
    const code = error === undefined ? undefined : resultCode(error)
    const isOutage = code !== undefined && OUTAGE.has(code)
    this.#writeError = isOutage ? cannotWrite(error as Error) : null
  }

  /** The error of the last write. It is null while writes succeed. */
  get writeError(): AppError | null {
    return this.#writeError
  }

  /** Maps a statement's error to the storage port's error. */
  toStorageError(error: unknown): unknown {
    const code = resultCode(error)
    if (code === undefined) return error
    if (DAMAGED.has(code)) {
      this.#found((error as Error).message)
      return new AppError('unavailable', 'The database is damaged.', { retryAfterMs: 30_000, cause: error })
    }
    return OUTAGE.has(code) ? cannotStore(error) : error
  }

  /**
   * Reads the whole file in a child process, which can be killed at any time. Resolves when the file is sound. Resolves
   * after START_TIMEOUT_MS, or at once if the file is large, while the check continues. Throws DatabaseProblem if damage
   * is found before that.
   */
  async check(): Promise<void> {
    let starting = true
    const done = this.#quickCheck().then((detail) => {
      if (detail === 'ok') return
      if (starting) throw damaged(this.#file, detail)
      this.#found(detail)
    })
    if (sizeOf(this.#file) < WAITED_FOR_BYTES) {
      await Promise.race([done, wait(START_TIMEOUT_MS, undefined, { ref: false })])
    }
    starting = false
  }

  close(): void {
    this.#checker?.kill('SIGKILL')
  }

  /** Resolves with "ok" or with the problem. A check that cannot run is no proof of damage. */
  #quickCheck(): Promise<string> {
    return new Promise((resolve) => {
      this.#checker = execFile(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', QUICK_CHECK, this.#file],
        { env: {} },
        (error, stdout) => resolve(error === null ? stdout.trim() : 'ok'),
      )
    })
  }

  #found(detail: string): void {
    if (this.#damage !== null) return
    this.#damage = damaged(this.#file, detail)
    this.#onDamage(this.#damage)
  }
}

export function cannotStore(cause?: unknown): AppError {
  return new AppError('unavailable', "We can't save anything right now. Try again in a moment.", {
    retryAfterMs: 2_000,
    cause,
  })
}

/** Returns the error that /readyz shows to the operator. */
function cannotWrite(cause: Error): AppError {
  const message = isDiskFull(cause)
    ? 'The disk that holds the database is full.'
    : `The database can't be written: ${cause.message}.`
  return new AppError('unavailable', message, { retryAfterMs: 2_000, cause })
}

/** Returns whether the error or one of its causes came from reading or writing the database. */
export function isStoreOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return OUTAGE.has(resultCode(error) ?? 0) || isStoreOutage(error.cause)
}

/** Returns whether the error or one of its causes says that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, cause } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' || resultCode(error) === FULL || isDiskFull(cause)
}

/** Wraps a repository so that it throws the storage port's errors and never calls a damaged database. */
export function guarded<T extends object>(repository: T, health: DatabaseHealth): T {
  const calls = Object.entries(repository).map(([name, call]) => [
    name,
    async (...args: unknown[]) => {
      health.assertSound()
      try {
        return await call(...args)
      } catch (error) {
        throw health.toStorageError(error)
      }
    },
  ])
  return Object.fromEntries(calls) as T
}

/** Wraps each of the repositories with `guarded`. */
export function guardedEach<T extends object>(repositories: T, health: DatabaseHealth): T {
  const each = Object.entries(repositories).map(([name, repository]) => [name, guarded(repository, health)])
  return Object.fromEntries(each) as T
}

/** Returns the error that tells the operator why a database could not be opened. */
export function openingProblem(file: string, error: unknown): unknown {
  const code = resultCode(error)
  return code !== undefined && DAMAGED.has(code) ? damaged(file, (error as Error).message) : error
}

/**
 * Throws DatabaseProblem when the database is missing or empty but its folder has uploads or a write-ahead log: the
 * folder once had a database, which an empty one must not replace.
 * @param uploads the uploads folder, which is created right after the first database
 */
export function assertNotLost(file: string, uploads: string): void {
  const size = sizeOf(file)
  if (sizeOf(`${file}-wal`) > 0) {
    if (size === 0) throw lost(file, existsSync(file) ? 'is empty' : 'is missing')
  } else if (existsSync(uploads)) {
    if (size === 0) throw lost(file, existsSync(file) ? 'is empty' : 'is missing')
    if (schemaVersionIn(file) === 0) throw lost(file, 'has no tables')
  }
}

/** Throws DatabaseProblem when there is no database, for example in another installation's folder. */
export function expectDatabase(file: string): void {
  if (sizeOf(file) === 0 && sizeOf(`${file}-wal`) === 0) {
    throw new DatabaseProblem(
      `There is no database at ${file}. Set DATA_DIR to its folder, or MONGODB_URL. A new store is created when the server first starts.`,
    )
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Reads the version from the file's header, because opening a database may change it. */
function schemaVersionIn(file: string): number {
  const version = Buffer.alloc(4)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, version, 0, 4, 60)
  } finally {
    closeSync(handle)
  }
  return version.readUInt32BE()
}

function damaged(file: string, detail: string): DatabaseProblem {
  return new DatabaseProblem(
    `The database ${file} is damaged (${detail}). Stop the server, keep a copy of the file, and restore the newest ` +
      `backup into an empty folder: ${RESTORE}. Then start with that DATA_DIR.`,
  )
}

function lost(file: string, what: string): DatabaseProblem {
  return new DatabaseProblem(
    `The database ${file} ${what}, but its folder was in use before. Put the file back (with its -wal file, if there ` +
      `is one), or restore the newest backup into an empty folder: ${RESTORE}. ` +
      'To start over, set DATA_DIR to an empty folder.',
  )
}

function resultCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}
