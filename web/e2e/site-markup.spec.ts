import { HtmlValidate } from 'html-validate'
import { expect, open, PAGES, test } from './site.ts'

/** The rules of the HTML standard. */
const validator = new HtmlValidate({ root: true, extends: ['html-validate:standard'] })

async function problems(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ message, line, column, selector }) => `${line}:${column} ${message} (${selector})`),
  )
}

test('every page is valid HTML as served', async ({ request }) => {
  for (const path of [...PAGES, '/blogs?page=2', '/unauthorized', '/no-such-page', '/login', '/dashboard']) {
    expect(await problems(await (await request.get(path)).text()), path).toEqual([])
  }
  for (const path of ['/', '/contact', '/reviews']) {
    const answer = await request.post(path, { form: { title: '"<b>' } })
    expect(await problems(await answer.text()), `the form of ${path}`).toEqual([])
  }
})

test('every page is valid HTML after hydration', async ({ page }) => {
  for (const path of PAGES) {
    await open(page, path)
    expect(await problems(await page.content()), path).toEqual([])
  }
})
