import { expect, TRANSPORTS, test } from './test.ts'

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`in ${transport}`, () => {
    test.use({ env })

    test('a page that comes back from the back/forward cache catches up', async ({
      visitor,
      admin,
      product,
    }) => {
      await visitor.send('hello')
      // The page that made the clientId holds a lock for a while, and a page with a lock is not cached.
      await visitor.page.reload()
      await visitor.openChat()
      await admin.view(await visitor.clientId())
      await expect(visitor.log.getByText('Seen')).toBeVisible()
      await visitor.page.evaluate(() => {
        window.addEventListener('pageshow', (event) => {
          document.documentElement.dataset.persisted = String(event.persisted)
        })
      })

      // Another origin, so that no page of the product runs meanwhile.
      await visitor.page.goto(`${product.origin.replace('127.0.0.1', 'localhost')}/healthz`)
      await admin.send('you were away')
      await visitor.page.goBack({ waitUntil: 'commit' })
      await expect(visitor.page.locator('html')).toHaveAttribute('data-persisted', 'true')
      await expect(visitor.message('you were away')).toBeVisible()
      await visitor.send('back again')
    })
  })
}
