import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const isLinterThere = spawnSync('hadolint', ['--version']).status === 0

it('runs the tested version of Node', () => {
  const { node } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies
  const images = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').match(/^FROM \S+/gm)
  expect(images).toEqual([`FROM node:${node}-slim`, `FROM node:${node}-slim`])
})

it.skipIf(!isLinterThere)('has no findings of hadolint', () => {
  const { stdout, stderr } = spawnSync('hadolint', ['deploy/Dockerfile'], { cwd: ROOT, encoding: 'utf8' })
  expect(stdout + stderr).toBe('')
})
