import type { Page } from '@playwright/test'
import { Visitor } from './people.ts'
import type { Product } from './product.ts'
import { expect, someClientId, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const COUNT = 230

/** A visitor who returns to a long conversation. */
async function returning(page: Page, product: Product): Promise<{ visitor: Visitor; clientId: string }> {
  const clientId = someClientId()
  for (let number = 1; number <= COUNT; number++) {
    await product.post(clientId, `number ${number}${'\nand more'.repeat(number % 5)}`)
  }
  await page.addInitScript((id) => {
    localStorage.setItem('clientId', id)
    localStorage.setItem('chat:exists', 'true')
  }, clientId)
  const visitor = new Visitor(page, product)
  await visitor.goto('/')
  await visitor.openChat()
  await expect(visitor.log.getByText(`number ${COUNT}`)).toBeVisible()
  return { visitor, clientId }
}

/**
 * The first visible message and its distance from the top of the log; with `scrollTop` after scrolling there, in the
 * same frame.
 */
function topRow(visitor: Visitor, scrollTop?: number): Promise<{ seen: string; from: number }> {
  return visitor.log.evaluate((log, wanted) => {
    if (wanted !== undefined) log.scrollTop = wanted
    const { top } = log.getBoundingClientRect()
    const row = [...log.querySelectorAll('.chat-row')].find(
      (each) => each.getBoundingClientRect().bottom > top + 1,
    )
    return {
      seen: row?.querySelector('.chat-text')?.textContent ?? '',
      from: (row?.getBoundingClientRect().top ?? 0) - top,
    }
  }, scrollTop)
}

function frames(visitor: Visitor, count: number): Promise<void> {
  return visitor.log.evaluate(async (_, wanted) => {
    for (let frame = 0; frame < wanted; frame++) await new Promise(requestAnimationFrame)
  }, count)
}

function distanceOf(visitor: Visitor, text: string): Promise<number> {
  return visitor.log.evaluate((log, wanted) => {
    const texts = [...log.querySelectorAll('.chat-text')]
    const row = texts.find((each) => each.textContent === wanted)?.closest('.chat-row')
    return (row?.getBoundingClientRect().top ?? Number.NaN) - log.getBoundingClientRect().top
  }, text)
}

test('older messages load near the top without moving the visible one', async ({ page, product }) => {
  const { visitor } = await returning(page, product)
  const rows = visitor.log.locator('.chat-rows .chat-row')
  while ((await rows.count()) < COUNT) {
    const before = await rows.count()
    let reading = { seen: '', from: 0 }
    // At the very top browsers do not anchor the scroll position. Again, if the list was still following its end.
    await expect(async () => {
      reading = await topRow(visitor, 0)
      await expect.poll(() => rows.count(), { timeout: 1_000 }).toBeGreaterThan(before)
    }).toPass()
    // Rows near the screen get their heights in the frames after that.
    await frames(visitor, 3)
    expect(Math.abs((await distanceOf(visitor, reading.seen)) - reading.from)).toBeLessThan(2)
  }
})

test('a change right after the reader scrolled up does not bring the end back', async ({ page, product }) => {
  const { visitor } = await returning(page, product)
  await visitor.log.evaluate((log) => {
    log.scrollTop = log.scrollHeight / 2
    // Renders all rows again before the browser tells of the scrolling.
    log.querySelector<HTMLElement>('.chat-row button:has(time)')?.click()
  })
  await expect(visitor.log.getByTitle('Show relative times').first()).toBeAttached()
  await frames(visitor, 3)
  const below = await visitor.log.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight)
  expect(below).toBeGreaterThan(1_000)
})

test('a new message does not scroll a reader down, and its button does', async ({ page, admin, product }) => {
  const { visitor, clientId } = await returning(page, product)
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.message(`number ${COUNT}`).first()).toBeVisible()
  await visitor.log.evaluate((log) => {
    log.scrollTop = log.scrollHeight / 2
  })
  // Until the list knows that the reader left its end.
  await frames(visitor, 2)
  const reading = await topRow(visitor)
  await admin.type('an answer')
  const button = visitor.panel.getByRole('button', { name: '1 new message' })
  await expect(button).toBeVisible()
  expect(Math.abs((await distanceOf(visitor, reading.seen)) - reading.from)).toBeLessThan(2)
  await button.click()
  await expect(visitor.message('an answer')).toBeInViewport()
  await expect(button).toBeHidden()
})
