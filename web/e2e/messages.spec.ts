import type { Locator } from '@playwright/test'
import { Admin, type Visitor } from './people.ts'
import { PDF } from './pictures.ts'
import { expect, test } from './test.ts'

const LONG = Array.from({ length: 60 }, (_, at) => `Sentence ${at + 1} of many.`).join(' ')

const topOf = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().top)

test('a message is sent, then seen', async ({ visitor, browser, product }) => {
  await visitor.send('hello')
  await expect(visitor.log.getByText('· Sent')).toBeVisible()
  const path = `/dashboard/messages/${await visitor.clientId()}`
  const admin = await Admin.signIn(browser, product, path)
  await expect(visitor.log.getByText('Seen')).toBeVisible()
  await expect(visitor.log.getByText('· Sent')).toBeHidden()
  await visitor.page.close()
  await admin.send('an answer')
  await expect(admin.log.getByText('· Sent')).toBeVisible()
  await admin.leave()
})

test('a line stands above what came since either side last looked', async ({ visitor, admin }) => {
  const lines = ({ log }: Admin | Visitor) => log.locator('.chat-new-line')
  await visitor.send('one')
  await admin.view(await visitor.clientId())
  await expect(visitor.log.getByText('Seen')).toBeVisible()
  await visitor.send('two')
  await expect(admin.message('two')).toBeVisible()
  await expect(lines(admin)).toHaveCount(0)
  // Before the admin leaves, the server knows that the second one was seen too.
  await expect(visitor.log.getByText('· Sent')).toHaveCount(0)
  await expect(visitor.log.getByText('Seen')).toHaveCount(1)

  await admin.page.getByRole('link', { name: 'All conversations' }).click()
  await visitor.send('three')
  await expect(admin.row(await visitor.clientId())).toContainText('three')
  await admin.view(await visitor.clientId())
  await expect(lines(admin)).toHaveCount(1)
  await expect(lines(admin).locator('xpath=following-sibling::li[1]')).toContainText('three')

  await visitor.goto('/login')
  await admin.send('an answer')
  await visitor.goto('/')
  await visitor.openChat()
  await expect(visitor.message('an answer')).toBeVisible()
  await expect(lines(visitor)).toHaveCount(1)
  await expect(lines(visitor).locator('xpath=following-sibling::li[1]')).toContainText('an answer')
})

test('exact times appear by a press and by the keyboard, and nothing moves', async ({ visitor, product }) => {
  for (let at = 1; at <= 6; at++) await visitor.send(`message ${at}`)
  // The last message of a group has a time.
  await product.reply(await visitor.clientId(), 'an answer')
  await expect(visitor.message('an answer')).toBeVisible()
  for (let at = 7; at <= 12; at++) await visitor.send(`message ${at}`)
  await visitor.log.evaluate(async (log) => {
    log.scrollTop = log.scrollHeight / 2
    // Until the list knows that the reader left its end.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  })
  const message = visitor.message('message 6')
  await expect(message).toBeInViewport()
  const before = await topOf(message)
  const time = visitor.log.locator('.chat-row', { has: visitor.page.getByText('message 6') }).locator('time')
  await expect(time).not.toHaveText(/\d{1,2}:\d{2}/)
  await time.click()
  await expect(time).toHaveText(/\d{1,2}:\d{2}/)
  expect(await topOf(message)).toBe(before)

  await visitor.box.focus()
  await visitor.page.keyboard.press('Shift+Tab')
  await expect(visitor.log.getByRole('button', { pressed: true }).last()).toBeFocused()
  await visitor.page.keyboard.press('Enter')
  await expect(time).not.toHaveText(/\d{1,2}:\d{2}/)
})

test('a long message is folded, and unfolds where it stands', async ({ visitor, admin }) => {
  await visitor.send('before')
  await visitor.type(LONG)
  await expect(visitor.log.getByText('Sending...')).toHaveCount(0)
  await admin.view(await visitor.clientId())
  // The last that changes by itself on either page.
  await expect(visitor.log.getByText('Seen')).toBeVisible()
  await expect(admin.page.getByRole('region', { name: 'Visitor', exact: true })).toBeVisible()
  for (const { log, page } of [visitor, admin]) {
    const text = log.getByText(/^Sentence 1 of many/)
    const more = log.getByRole('button', { name: 'Show more' })
    await expect(more).toBeInViewport()
    await expect(text).not.toContainText('Sentence 60')
    const top = await topOf(text)
    const height = await log.evaluate((element) => element.scrollHeight)
    await more.click()
    await expect(text).toContainText('Sentence 60')
    expect(await log.evaluate((element) => element.scrollHeight)).toBeGreaterThan(height)
    expect(Math.abs((await topOf(text)) - top)).toBeLessThan(2)

    // From the end of the text, where its beginning is out of sight.
    const less = log.getByRole('button', { name: 'Show less' })
    await log.evaluate(async (element) => {
      // Until the list has followed its new size, and knows that the reader left its end.
      const frames = async () => {
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
      }
      element.style.maxHeight = '160px'
      await frames()
      element.scrollTop = element.scrollHeight - 200
      await frames()
    })
    await less.focus()
    const bottom = await topOf(less)
    await page.keyboard.press('Enter')
    await expect(text).not.toContainText('Sentence 60')
    await expect(more).toBeFocused()
    await expect(more).toBeInViewport()
    expect(Math.abs((await topOf(more)) - bottom)).toBeLessThan(40)
  }
})

test('texts arrive as they were meant, and nothing to see is nothing to send', async ({
  visitor,
  admin,
  product,
}) => {
  const code = '   if x:\n       y()'
  await visitor.type(`\n${code}\n\n`)
  await visitor.type('“https://exam.example/a”, https://exam.example/👩‍💻/x y')
  await visitor.type("mail sam.o'neil@visitor.example now")
  await expect(visitor.log.getByText('· Sent')).toHaveCount(1)
  for (const nothing of ['\u2800', '\u200b\u200d', '\u3164\n\u{e0067}']) {
    await visitor.type(nothing)
    await expect(visitor.panel.getByRole('alert').filter({ hasText: 'Message is required' })).toBeVisible()
  }
  await visitor.box.fill('')
  const clientId = await visitor.clientId()
  await admin.view(clientId)
  await visitor.page.reload()
  await visitor.openChat()
  for (const { log } of [visitor, admin]) {
    await expect(log.locator('.chat-row time').last()).toBeVisible()
    await expect(log.getByText('y()')).toHaveCount(1)
    expect(await log.getByText('y()').textContent()).toBe(code)
    const links = log.locator('.chat-row .chat-text a')
    await expect(links).toHaveText([
      'https://exam.example/a',
      'https://exam.example/👩‍💻/x',
      "sam.o'neil@visitor.example",
    ])
    await expect(links.last()).toHaveAttribute('href', "mailto:sam.o'neil@visitor.example")
  }
  const { messages } = await product.callAsAdmin<{ messages: { message: string }[] }>(
    'GET',
    `/chat/${clientId}`,
  )
  expect(messages.map(({ message }) => message)[0]).toBe(code)
})

test('names of files keep joiners and quotation marks', async ({ visitor, product }) => {
  await product.configure({ files: true })
  await visitor.goto('/')
  await visitor.openChat()
  const names = ['می\u200cخواهم.pdf', 'it\'s "quoted".pdf', '👩‍💻.pdf']
  for (const [index, name] of names.entries()) {
    const chooser = visitor.page.waitForEvent('filechooser')
    await visitor.page.getByRole('button', { name: 'Attach a file' }).click()
    await (await chooser).setFiles([{ name, mimeType: 'application/pdf', buffer: PDF }])
    await expect(visitor.page.getByRole('list', { name: 'Files to send' })).toContainText('.pdf')
    await visitor.box.press('Enter')
    await expect(visitor.log.locator('.file-name').last()).toHaveAttribute('title', name)
    await expect(visitor.log.locator('.chat-row[data-seq]')).toHaveCount(index + 1)
  }
  const { messages } = await product.callAsAdmin<{ messages: { attachments: { name: string }[] }[] }>(
    'GET',
    `/chat/${await visitor.clientId()}`,
  )
  expect(messages.flatMap(({ attachments }) => attachments.map(({ name }) => name))).toEqual(names)
})
