import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** What axe finds on a page: with all its rules, or only with `rules`. */
export async function violations(page: Page, rules: string[] = []): Promise<string[]> {
  // What fades in has too little contrast on its way.
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
  const axe = new AxeBuilder({ page })
  const found = await (rules.length > 0 ? axe.withRules(rules) : axe).analyze()
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
