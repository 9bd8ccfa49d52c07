import type { TestProject } from 'vitest/node'
import { findServers } from './find-servers.ts'

/** Finds the servers once for all test files, which get them with `inject`. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
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
