import type { Frame, Page } from '@playwright/test'
import axe from 'axe-core'

/** What axe finds in a document: with all its rules, or only with `rules`. It does not look into frames. */
export async function violations(page: Page | Frame, rules: string[] = []): Promise<string[]> {
  const found = await settledViolations(page, rules)
  // What begins to fade in while axe looks has too little contrast too.
  return found.length === 0 ? found : settledViolations(page, rules)
}

/** The rules that the dark scheme can break. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** What axe finds with all its rules in the light scheme, and with `COLOR_RULES` in the dark one. Leaves it light. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await violations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violations(page, COLOR_RULES)
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((found) => `in the dark: ${found}`)]
}

async function settledViolations(page: Page | Frame, rules: string[]): Promise<string[]> {
  await settle(page)
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (wanted) => {
    const inPage = (window as unknown as { axe: typeof axe }).axe
    const found = await inPage.run({
      // Details of what axe does not object to are most of its time.
      resultTypes: ['violations'],
      ...(wanted.length > 0 && { runOnly: wanted }),
    })
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, rules)
}

/** Waits for what fades, moves or changes its color: on its way it has too little contrast. */
async function settle(page: Page | Frame): Promise<void> {
  await page.evaluate(async () => {
    const ending = () =>
      document
        .getAnimations()
        .filter(
          (each) => each.playState === 'running' && each.effect?.getComputedTiming().endTime !== Infinity,
        )
    for (let running = ending(); running.length > 0; running = ending()) {
      await Promise.allSettled(running.map(({ finished }) => finished))
    }
  })
}
