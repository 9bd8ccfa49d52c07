import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryDir } from '../test/server-process.ts'
import { execute } from './steps.ts'

it('prints the end of what failed again behind the last step', async () => {
  const dir = temporaryDir('steps')
  const script = join(dir.path, 'steps.ts')
  const steps = pathToFileURL(join(import.meta.dirname, 'steps.ts')).href
  writeFileSync(
    script,
    `import { Steps } from '${steps}'
    const steps = new Steps()
    const count = 'for (let line = 1; line <= 40; line += 1) console.log(\`line \${line}\`)'
    await steps.tool('Counting', ['node', '-e', count + '; process.exitCode = 1'])
    await steps.check('Fine', async () => [])
    steps.finish()`,
  )
  const { code, output } = await execute(['node', script], 'pipe')
  dir.remove()
  expect(code).toBe(1)
  const [, atTheEnd] = output.split('FAILED:\n')
  expect(atTheEnd).toMatch(/^ {2}- Counting:\n {6}line 26\n(.*\n)+ {6}line 40\n/)
  expect(atTheEnd).not.toContain('line 25')
  expect(output).toMatch(/Fine: ok in \d+\.\d s, processors \d+% busy\n/)
  expect(atTheEnd).toMatch(
    /Failed: Counting\nAll steps in \d+\.\d s, processors \d+% busy\n1 passed, 1 failed$/,
  )
})
