import { describe, inject } from 'vitest'
import type { FoundMongo } from './servers/find-servers.ts'
import { freshDatabase } from './servers/test-database.ts'

/** The MongoDB server of this run; null when there is none. */
export const testMongo: FoundMongo | null = inject('mongo')

/**
 * Tests on MongoDB. Without a server they are skipped, and the run reports it at its end. `url` is of a database of
 * their own, a new one with each call.
 */
export function describeOnMongo(name: string, tests: (url: () => string) => void | Promise<void>): void {
  if (testMongo === null)
    describe.skip(`${name} (left out: there is no MongoDB server)`, () => tests(() => ''))
  else describe(name, () => tests(() => freshDatabase(testMongo)))
}
