import { type FoundServers, findServers } from '../test/servers/find-servers.ts'

let found: Promise<FoundServers> | undefined

/** MongoDB and Redis, found or started at the first question. */
export function servers(): Promise<FoundServers> {
  found ??= findServers()
  return found
}

/** Stops every started process. */
export async function closeServers(): Promise<void> {
  const problems = found === undefined ? [] : await (await found).close()
  for (const problem of problems) console.error(problem)
}

/** What a benchmark answers that cannot be run here. */
export function leftOut(benchmark: string, lacks: string): [] {
  console.error(`LEFT OUT: ${benchmark}: ${lacks}`)
  return []
}
