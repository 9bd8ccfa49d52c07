import { describe, inject } from 'vitest'
import type { FoundMongo } from './servers/find-servers.ts'
import { freshDatabase } from './servers/test-database.ts'

/** The MongoDB server of this run; null when there is none. */
export const testMongo: FoundMongo | null = inject('mongo')

/** The URL of a new database, or null without a server. */
function mongoTestUrl(): string | null {
  return testMongo === null ? null : freshDatabase(testMongo)
}

/**
 * Tests on MongoDB. Without a server, or without the one they need, they are skipped, and the run reports it at
 * its end. `url` is of a database of their own, a new one with each call.
 */
export function describeOnMongo(name: string, tests: (url: () => string) => void | Promise<void>): void
export function describeOnMongo(
  name: string,
  needs: { real?: true; replicaSet?: true },
  tests: (url: () => string) => void | Promise<void>,
): void
export function describeOnMongo(
  name: string,
  ...rest:
    | [(url: () => string) => void | Promise<void>]
    | [{ real?: true; replicaSet?: true }, (url: () => string) => void | Promise<void>]
): void {
  const [needs, tests] = rest.length === 1 ? [{}, rest[0]] : rest
  const lacking = whatLacks(needs)
  if (lacking !== null) describe.skip(`${name} (left out: ${lacking})`, () => tests(() => ''))
  else describe(name, () => tests(() => mongoTestUrl() as string))
}

function whatLacks({ real, replicaSet }: { real?: true; replicaSet?: true }): string | null {
  if (testMongo === null) return 'there is no MongoDB server'
  if (real && !testMongo.isReal) return `${testMongo.name} is a stand-in`
  if (replicaSet && !testMongo.isReplicated) return `${testMongo.name} is no replica set`
  return null
}
