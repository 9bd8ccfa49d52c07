import { randomUUID } from 'node:crypto'

/** Begins the names of the databases of this run and of the processes that it starts. */
export function testDatabasePrefix(): string {
  process.env.TEST_DATABASE_PREFIX ??= `test-${randomUUID().slice(0, 8)}-`
  return process.env.TEST_DATABASE_PREFIX
}

/** The URL of a new database. */
export function freshDatabase({ url }: { url: string }): string {
  const fresh = new URL(url)
  fresh.pathname = `/${testDatabasePrefix()}${randomUUID().slice(0, 8)}`
  return fresh.href
}
