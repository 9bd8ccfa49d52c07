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
  const steps = ['--steps', '500']
  const [[third], [fourth], all] = await Promise.all([
    simulate('--seed', '3', ...steps),
    simulate('--seed', '4', ...steps),
    simulate('--seed', '1', '--seeds', '4', ...steps),
  ])
  expect(third).toEqual({
    ...{ seed: 3, steps: expect.any(Number), violations: [] },
    trace: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  // Behind another seed of its kind of store, each.
  expect(all.slice(2)).toEqual([third, fourth])
  expect(new Set(all.map(({ trace }) => trace)).size).toBe(4)
})
