import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'

const isRoot = process.getuid?.() === 0

export default defineConfig({
  testDir: fileURLToPath(new URL('e2e', import.meta.url)),
  outputDir: fileURLToPath(new URL('test-results', import.meta.url)),
  workers: 2,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // A test that fails now and then is broken, or the product is.
  retries: 0,
  // Generous: a slow machine is no failure, and a test that passes waits for nothing.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    locale: 'en-GB',
    reducedMotion: 'reduce',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH || undefined,
      // Pages that come back as they were left are part of what people do.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
      args: [
        // Chromium's sandbox does not run as root.
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-dev-shm-usage',
        '--no-default-browser-check',
      ],
    },
  },
})
