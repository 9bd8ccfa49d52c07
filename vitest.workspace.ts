import { defineConfig } from 'vitest/config'
import { sampleTexts } from './api/test/sample-texts.ts'
import { icons } from './web/build/icons.ts'
import { words } from './web/build/words.ts'

const setupFiles = ['web/src/testing/setup.ts', 'web/src/testing/test-timeouts.ts']

const api = {
  environment: 'node',
  // No test measures time. The limit only ends a test that hangs, on a machine that has other work too.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  globalSetup: ['api/test/servers/global-setup.ts'],
  setupFiles: ['api/test/test-timeouts.ts'],
}
const onMongo = 'api/test/on-mongo/*.test.ts'
const messagesOnMongo = 'api/test/on-mongo/messages.test.ts'

export default defineConfig({
  test: {
    // This is one more than the two processors need, because many tests wait for a timeout, a process, or a server.
    maxWorkers: 3,
    reporters: ['default', './api/test/servers/run-notes.ts'],
    projects: [
      {
        test: { name: 'shared', environment: 'node', isolate: false, include: ['shared/src/**/*.test.ts'] },
      },
      {
        test: {
          ...api,
          name: 'api',
          // Modules keep nothing from a test, and loading the app costs two seconds of processor time. Each worker
          // loads it only once.
          isolate: false,
          include: ['api/src/**/*.test.ts', 'api/test/**/*.test.ts', 'api/tools/**/*.test.ts'],
          exclude: [onMongo],
        },
      },
      {
        // These files are isolated, because they import the files of other tests, which register their tests only when
        // they are loaded.
        test: { ...api, name: 'on-mongo', include: [messagesOnMongo] },
      },
      {
        // Only `npm run test:all` runs these.
        test: { ...api, name: 'on-mongo-long', include: [onMongo], exclude: [messagesOnMongo] },
      },
      {
        plugins: [sampleTexts(), icons(), words()],
        test: {
          name: 'web',
          // A file that needs a document begins with `@vitest-environment jsdom`, which takes a second to start.
          environment: 'node',
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: ['web/src/**/*.test.ts', 'web/build/**/*.test.ts'],
          setupFiles,
        },
      },
      {
        plugins: [sampleTexts(), icons(), words()],
        // Vite lacks this condition, which Node has. With another file, react-router/dom would have a second
        // react-router.
        resolve: { conditions: ['module-sync', 'node', 'development|production'] },
        test: {
          name: 'components',
          environment: 'jsdom',
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: ['web/src/**/*.test.tsx'],
          setupFiles,
        },
      },
    ],
  },
})
