import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'

const isRoot = process.getuid?.() === 0
const { CHROMIUM_PATH, CHROMIUM_SHELL_PATH } = process.env

/** The headless shell has neither the back/forward cache nor notifications. */
const WITH_BROWSER = ['**/back.spec.ts', '**/notifications.spec.ts']

const launchOptions = {
  // Tests cover the back/forward cache.
  ignoreDefaultArgs: ['--disable-back-forward-cache'],
  args: [
    // Chromium's sandbox does not run as root.
    ...(isRoot ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-dev-shm-usage',
    '--no-default-browser-check',
  ],
}

export default defineConfig({
  testDir: fileURLToPath(new URL('e2e', import.meta.url)),
  outputDir: fileURLToPath(new URL('test-results', import.meta.url)),
  // Two tests compute while two wait.
  workers: 4,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // A flaky test is a bug in the test or in the product.
  retries: 0,
  // The limits suit slow machines. A test that passes does not wait for them.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    locale: 'en-GB',
    reducedMotion: 'reduce',
    // A trace of every test would cost a third of the tests' processor time. Rerun a failed test with `--trace on`.
    trace: 'off',
  },
  projects: [
    {
      name: 'browser',
      testMatch: WITH_BROWSER,
      // Most of these tests wait, because an unread message notifies after ten seconds.
      workers: 1,
      use: { launchOptions: { ...launchOptions, executablePath: CHROMIUM_PATH || undefined } },
    },
    {
      name: 'shell',
      testIgnore: WITH_BROWSER,
      workers: 3,
      use: {
        launchOptions: {
          ...launchOptions,
          executablePath: CHROMIUM_SHELL_PATH || CHROMIUM_PATH || undefined,
        },
      },
    },
  ],
})
