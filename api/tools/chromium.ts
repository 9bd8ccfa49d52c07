import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { execute } from './steps.ts'

const SYSTEM_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const SHELL = 'chromium-headless-shell'

/** A working Chromium: from CHROMIUM_PATH, the system, Playwright, or installed now. */
export async function provideChromium(): Promise<string> {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (await starts(named)) return named
    throw new Error(`CHROMIUM_PATH is ${named}, which doesn't start.`)
  }
  const found = await findChromium()
  if (found) return found
  await installChromium()
  const installed = await findChromium()
  if (installed) return installed
  throw new Error("Chromium couldn't be installed. Install it, or set CHROMIUM_PATH.")
}

/**
 * Chromium's headless shell: the same engine without the browser around it, which halves the processor time of a test. From
 * CHROMIUM_SHELL_PATH or the system; null without one.
 */
export async function findHeadlessShell(): Promise<string | null> {
  const named = process.env.CHROMIUM_SHELL_PATH
  if (named) {
    if (await starts(named)) return named
    throw new Error(`CHROMIUM_SHELL_PATH is ${named}, which doesn't start.`)
  }
  return (await starts(SHELL)) ? pathOf(SHELL) : null
}

async function findChromium(): Promise<string | null> {
  for (const name of SYSTEM_NAMES) {
    if (await starts(name)) return name.startsWith('/') ? name : pathOf(name)
  }
  const own = chromium.executablePath()
  return existsSync(own) && (await starts(own)) ? own : null
}

async function pathOf(name: string): Promise<string> {
  return (await execute(['sh', '-c', `command -v ${name}`], 'pipe')).output
}

/** A name on PATH may be a stub, and a download may lack libraries: so it is started. */
async function starts(executable: string): Promise<boolean> {
  return (await execute([executable, '--version', '--no-sandbox'], 'pipe')).code === 0
}

async function installChromium(): Promise<void> {
  const isRoot = process.getuid?.() === 0
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    console.log('Chromium not found: installing it with apt-get…')
    const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
    await execute(['apt-get', 'update', '-qq'], 'inherit', quiet)
    const install = ['apt-get', 'install', '-qq', '-y', '--no-install-recommends', 'chromium', SHELL]
    if ((await execute(install, 'inherit', quiet)).code === 0) return
  }
  console.log("Chromium not found: downloading Playwright's…")
  const withLibraries = isRoot ? ['--with-deps'] : []
  await execute(['playwright', 'install', ...withLibraries, 'chromium'], 'inherit')
}
