import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { developmentImports, developmentImportsIn, tableGaps, wrongImportsIn } from './imports.ts'
import { root } from './steps.ts'

it.each([
  ['a room below', 'api/src/limits/a.ts', '../auth/sessions.ts', 'auth is below limits'],
  ['a room that is not above a file', 'api/src/chat/a.ts', '../app.ts', 'app.ts is below chat'],
  ['an excepted room', 'api/src/search/a.ts', '../chat/chat.ts', 'search does not import chat'],
  [
    'an excepted folder',
    'web/src/forms/a.tsx',
    '../chat/widget/card.tsx',
    'forms does not import chat/widget',
  ],
  ['an adapter', 'api/src/backup/a.ts', '../storage/mongo/schema.ts', 'only storage import storage/mongo'],
  ['another adapter', 'api/src/storage/mongo/a.ts', '../sqlite/schema.ts', 'only storage, startup-error.ts'],
  ['http in a use case', 'api/src/chat/a.ts', '../http/errors.ts', 'use cases know neither http nor routes'],
  ['routes in a use case', 'api/src/chat/a.ts', './chat-routes.ts', 'use cases know neither http nor routes'],
  ['the store in a route', 'api/src/chat/a-routes.ts', '../storage/model/users.ts', 'routes reach the store'],
  ['Fastify in a use case', 'api/src/chat/a.ts', '@fastify/cookie', 'import it'],
  ['Socket.IO in a route', 'api/src/chat/a-routes.ts', 'socket.io', 'only hub import it'],
  ['another feature', 'web/src/dashboard/team/a.ts', '../settings/a.ts', 'are apart'],
  ['a later folder of its room', 'web/src/dashboard/chats/live/a.ts', '../list/a.ts', 'list is below live'],
  ['the dashboard in its feature', 'web/src/dashboard/team/a.ts', '../menu.ts', 'dashboard is below'],
  ['React in the engine', 'web/src/chat/engine/a.ts', 'react', 'chat/engine imports only socket.io-client'],
  ['a style in the engine', 'web/src/chat/engine/a.ts', './a.css', 'chat/engine also runs in Node'],
  ['more than lib in the worker', 'web/src/service-worker/a.ts', '../content/a.ts', 'imports only lib'],
  ['another workspace', 'web/src/lib/a.ts', '../../../api/src/app.ts', 'a workspace imports its own sources'],
  ['another workspace by name', 'api/src/pages/a.ts', '@proctorpass/web/a.ts', 'web and api share only'],
  ['Node in shared', 'shared/src/a.ts', 'node:fs', 'shared also runs in browsers'],
  ['a folder without a room', 'api/src/new/a.ts', '../http/errors.ts', 'new/a.ts is in no room'],
])('refuses %s', (_title, file, imported, reason) => {
  const problems = [expect.stringContaining(reason)]
  expect(wrongImportsIn(file, `import { a } from '${imported}'`)).toEqual(problems)
  expect(wrongImportsIn(file, `import type { a } from '${imported}'`)).toEqual(problems)
  expect(wrongImportsIn(file, `export * from '${imported}'`)).toEqual(problems)
  expect(wrongImportsIn(file, `await import('${imported}')`)).toEqual(problems)
})

it.each([
  ['api/src/chat/a-routes.ts', '../http/errors.ts'],
  ['api/src/chat/a-routes.ts', 'fastify'],
  ['api/src/chat/a.ts', '../storage/model/users.ts'],
  ['api/src/storage/open-storage.ts', './mongo/schema.ts'],
  ['web/src/dashboard/chats/list/a.ts', '../live/a.ts'],
  ['web/src/chat/engine/a.ts', '@proctorpass/shared/limits'],
])('%s may import %s', (file, imported) => {
  expect(wrongImportsIn(file, `import { a } from '${imported}'`)).toEqual([])
})

it('finds rows of docs/ARCHITECTURE.md that differ', () => {
  const markdown = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8')
  expect(tableGaps(markdown)).toEqual([])
  expect(tableGaps(markdown.replace(/^\| `redis` .*\n/m, ''))).toContainEqual(
    expect.stringContaining('limits instead of redis'),
  )
  expect(tableGaps(markdown.replace('| `lib`', '| `library`'))).toHaveLength(1)
})

it('finds what npm start does not install', () => {
  expect(developmentImports()).toEqual([])
  const build = `import { chromium } from '@playwright/test'\nimport 'vite'`
  expect(developmentImportsIn('web/build/icons.ts', build)).toEqual([
    'web/build/icons.ts imports @playwright/test, but npm start does not install devDependencies',
  ])
})
