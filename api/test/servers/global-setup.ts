import type { TestProject } from 'vitest/node'
import { findServers } from './find-servers.ts'
import { useMemoryForFolders } from './memory-folder.ts'

/** Once for all test files: where they keep their data, and the servers, which they get with `inject`. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  useMemoryForFolders()
  const { mongo, redis, described, missing, close } = await findServers()
  provide('mongo', mongo)
  provide('redis', redis)
  console.log(
    ['Servers for the tests:', ...described, ...missing.map((line) => `NOT HERE: ${line}`)].join('\n  '),
  )
  return async () => {
    const problems = await close()
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) process.exitCode = 1
  }
}
