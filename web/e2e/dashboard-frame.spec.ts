import type { Locator } from '@playwright/test'
import { expect, someClientId, test } from './test.ts'

for (const width of [360, 1280]) {
  test(`empty pages say what to do next, at the indent of their heading, ${width} px`, async ({
    admin: { page },
    product,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    const empty = {
      '/dashboard/chats': ['No messages found!', 'open the site'],
      [`/dashboard/messages/${someClientId()}`]: ['No messages yet', 'all conversations'],
      '/dashboard/my-blogs': [/No .* found!/, 'Write the first post'],
      '/dashboard/my-reviews': [/No .* found!/, 'Add a review'],
    } as const
    for (const [path, [message, next]] of Object.entries(empty)) {
      await page.goto(product.url(path))
      const words = page.getByRole('main').getByText(message)
      await expect(words).toBeVisible()
      await expect(page.getByRole('main').getByRole('link', { name: next, exact: true })).toBeVisible()
      // An open conversation begins with this link, and its heading follows in the same line.
      const edge = path.includes('/messages/')
        ? page.getByRole('main').getByRole('link', { name: 'All conversations', exact: true }).first()
        : page.getByRole('heading', { level: 1 })
      expect(await textStart(words), path).toBe(await textStart(edge))
    }
  })
}

/** The left edge of an element's text. */
function textStart(element: Locator): Promise<number> {
  return element.evaluate((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect().left
  })
}
