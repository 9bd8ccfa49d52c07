import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))
const runFile = promisify(execFile)

/** In a process of its own, because a simulation replaces the clock and modules of its process. */
async function simulate(...args: string[]) {
  const { stdout } = await runFile(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    RUN,
    '--json',
    ...args,
  ])
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const { seconds, ...outcome } = JSON.parse(line) as { seconds: number; seed: number; trace: string }
      return outcome
    })
}

it('repeats a run to the byte, also behind another one', { timeout: 300_000 }, async () => {
  const steps = ['--steps', '1000']
  const [alone, both] = await Promise.all([
    simulate('--seed', '2', ...steps),
    simulate('--seed', '1', '--seeds', '2', ...steps),
  ])
  expect(alone).toEqual([
    { seed: 2, steps: expect.any(Number), violations: [], trace: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(both[1]).toEqual(alone[0])
  expect(both[0]?.trace).not.toBe(alone[0]?.trace)
})
