import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryDir } from '../test/server-process.ts'
import { storageMayHaveChanged } from './sources-before.ts'

let repository: { path: string; remove: () => void }

let committedAt: Date

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  const env = { ...process.env, GIT_COMMITTER_DATE: committedAt.toISOString() }
  execFileSync('git', [...identity, ...args], { cwd: repository.path, stdio: 'ignore', env })
}

function write(path: string): void {
  const file = join(repository.path, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${Math.random()}`)
}

function commit(path: string): void {
  write(path)
  git('add', '.')
  git('commit', '-m', path)
}

const changed = () => storageMayHaveChanged(repository.path)

beforeEach(() => {
  repository = temporaryDir('repository')
  committedAt = new Date()
})
afterEach(() => repository.remove())

test('storage has changed when a branch or an uncommitted file changes it', () => {
  git('init', '--initial-branch=main')
  commit('api/src/storage/model/storage.ts')
  git('switch', '--create', 'topic')
  commit('web/src/routes.tsx')
  expect(changed()).toBe(false)
  write('api/src/storage/mongo/added.ts')
  expect(changed()).toBe(true)
  git('clean', '-fd')
  expect(changed()).toBe(false)
  // Neither is part of an answer on MongoDB.
  write('api/src/storage/sqlite/added.ts')
  write('api/src/storage/mongo/added.test.ts')
  expect(changed()).toBe(false)
  write('api/src/storage/model/storage.ts')
  expect(changed()).toBe(true)
  git('commit', '--all', '--message', 'storage')
  expect(changed()).toBe(true)
})

test('what cannot be known counts as a change', () => {
  expect(changed()).toBe(true)
  git('init', '--initial-branch=main')
  expect(changed()).toBe(true)
  commit('web/src/routes.tsx')
  // Nothing is older than what landed last, as in a shallow checkout.
  expect(changed()).toBe(true)
  git('branch', '--move', 'other')
  commit('web/src/page.tsx')
  expect(changed()).toBe(true)
})

test('on the main branch, storage has changed when what landed last changed it', () => {
  const minutesAgo = (minutes: number) => {
    committedAt = new Date(Date.now() - minutes * 60_000)
  }
  git('init', '--initial-branch=main')
  minutesAgo(900)
  commit('web/src/routes.tsx')
  minutesAgo(600)
  commit('api/src/storage/model/storage.ts')
  expect(changed()).toBe(true)
  // Of the same push.
  minutesAgo(420)
  commit('web/src/routes.tsx')
  expect(changed()).toBe(true)
  minutesAgo(30)
  commit('web/src/routes.tsx')
  expect(changed()).toBe(false)
  commit('api/src/storage/mongo/added.ts')
  expect(changed()).toBe(true)
})
