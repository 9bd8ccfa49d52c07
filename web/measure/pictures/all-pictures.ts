import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from '@playwright/test'
import { findHeadlessShell, provideChromium } from '../../../api/tools/chromium.ts'
import { FreshProduct } from '../../e2e/product.ts'
import { writeContactSheet } from './contact-sheet.ts'
import { DASHBOARD_PICTURES } from './dashboard-pictures.ts'
import { PUBLIC_PICTURES } from './public-pictures.ts'
import { startSampleProduct } from './sample-product.ts'
import { SIGN_IN_PICTURES } from './sign-in-pictures.ts'
import { type Device, type Picture, Studio } from './studio.ts'
import { WIDGET_PICTURES } from './widget-pictures.ts'

/** Git ignores this folder. */
const FOLDER = new URL('../../../screenshots/', import.meta.url)

const PICTURES: readonly Picture[] = [
  ...PUBLIC_PICTURES,
  ...WIDGET_PICTURES,
  ...SIGN_IN_PICTURES,
  ...DASHBOARD_PICTURES,
]

/**
 * Takes every picture, or those whose names begin with one of `beginnings`, each in light and dark and on a desktop and a
 * phone.
 */
export async function shootAll(beginnings: readonly string[]): Promise<void> {
  const chosen = PICTURES.filter(
    ({ name }) => beginnings.length === 0 || beginnings.some((beginning) => name.startsWith(beginning)),
  )
  if (chosen.length === 0) throw new Error(`No picture's name begins so. ${namesOf(PICTURES)}`)
  if (beginnings.length === 0) rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const executablePath = (await findHeadlessShell()) ?? (await provideChromium())
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const problems = await shootChosen(browser, chosen).finally(() => browser.close())
  writeContactSheet(
    FOLDER,
    PICTURES.map(({ name }) => name),
    problems,
  )
  report(`Look at ${fileURLToPath(new URL('index.html', FOLDER))}`)
  if (problems.size > 0) process.exitCode = 1
}

const namesOf = (pictures: readonly Picture[]) =>
  `The pictures are ${pictures.map(({ name }) => name).join(', ')}.`

/** Resolves to what went wrong, by the picture's name. */
async function shootChosen(browser: Browser, chosen: readonly Picture[]): Promise<Map<string, string>> {
  const ends: (() => Promise<void>)[] = []
  const once = (start: () => Promise<{ product: FreshProduct; end: () => Promise<void> }>) => {
    let product: Promise<FreshProduct> | undefined
    return () => {
      product ??= start().then((started) => {
        ends.push(started.end)
        return started.product
      })
      return product
    }
  }
  const studio = new Studio(browser, {
    filled: once(startSampleProduct),
    empty: once(startEmptyProduct),
  })
  const problems = new Map<string, string>()
  try {
    for (const picture of chosen) {
      for (const device of ['desktop', 'phone'] as const) {
        if (picture.only !== undefined && picture.only !== device) continue
        const problem = await shoot(studio, picture, device)
        if (problem === null) continue
        problems.set(picture.name, problem)
        report(`${picture.name} on a ${device}: ${problem}`)
      }
    }
  } finally {
    for (const end of ends) await end()
  }
  return problems
}

/** Resolves to what went wrong, or null. */
async function shoot(studio: Studio, picture: Picture, device: Device): Promise<string | null> {
  const from = performance.now()
  const problem = await studio
    .shoot(picture, device, async (page, scheme) => {
      const path = fileURLToPath(new URL(`${picture.name}-${device}-${scheme}.png`, FOLDER))
      await page.screenshot({ path, animations: 'disabled', fullPage: picture.isWhole ?? false })
    })
    .catch((error: Error) => error)
  report(`${picture.name} (${device}): ${((performance.now() - from) / 1_000).toFixed(1)} s`)
  return problem === null ? null : problem.message
}

async function startEmptyProduct() {
  const product = await FreshProduct.start({ RATE_LIMITS: 'off' })
  return { product, end: () => product.dispose() }
}

const report = (line: string) => process.stdout.write(`${line}\n`)
