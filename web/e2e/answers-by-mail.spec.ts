import { rawMail } from '../../api/test/mails.ts'
import { hasImap, type ImapProcess, startImap } from '../../api/test/servers/imap-process.ts'
import { startSmtpServer, type TestSmtpServer } from '../../api/test/smtp-server.ts'
import { violationsInBothSchemes } from './axe.ts'
import { ourError } from './our-answer.ts'
import { Admin, Visitor } from './people.ts'
import { expect, freshTest } from './test.ts'

const test = freshTest.extend<{ smtp: TestSmtpServer; imap: ImapProcess }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures.
  smtp: async ({}, use) => {
    const smtp = await startSmtpServer()
    await use(smtp)
    await smtp.close()
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures.
  imap: async ({}, use) => {
    const imap = await startImap()
    await use(imap)
    await imap.close()
  },
  env: async ({ smtp, imap }, use) =>
    use({
      ...{ SMTP_URL: smtp.url, MAIL_FROM: 'Support <no-reply@acme.example>', INBOUND_URL: imap.url },
      ...{ REPLY_ADDRESS: 'support@acme.example', INBOUND_AUTHSERV: 'mx.acme.example' },
    }),
})

/** A server whose clock is four minutes ahead: replies are mailed after three. */
const LATER = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent('const n=Date.now;Date.now=()=>n()+240000')}`,
}

test('a visitor who left answers the mail, and admins see what came by email', async ({
  browser,
  product,
  smtp,
  imap,
}) => {
  const visitor = await Visitor.arrive(browser, product)
  await visitor.openChat()
  const reported = visitor.page.waitForResponse((response) => response.url().endsWith('/profile'))
  await visitor.send('Can I use two screens?')
  await reported
  const clientId = await visitor.clientId()
  await product.callAsAdmin('PATCH', `/chat/admin/${clientId}/visitor`, { email: 'sam@example.org' })
  await visitor.page.close()
  await product.reply(clientId, 'One only.')
  await product.shutDown()
  await product.startAgain(LATER)
  await expect.poll(() => smtp.mails.length).toBe(1)
  const to = smtp.mails[0]?.headers['reply-to'] ?? ''
  const quote = 'On Tue, Nov 24, 2026, Acme <support@acme.example> wrote:\r\n> One only.'
  await imap.deliver(rawMail({ to, body: `Thank you!\r\n\r\n${quote}\r\n` }))
  await imap.deliver(rawMail({ to, from: 'sam@other.example', body: 'And a phone?' }))
  await imap.deliver(rawMail({ to, body: 'Back on Monday', headers: ['Auto-Submitted: auto-replied'] }))

  const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`)
  const log = admin.page.getByRole('log')
  await expect(log.getByText('Thank you!')).toBeVisible()
  await expect(log.getByText('by email', { exact: true })).toHaveCount(1)
  await expect(log.getByText('> One only.')).toBeHidden()
  await log.getByText('Show quoted text').click()
  await expect(log.getByText('> One only.')).toBeVisible()
  await expect(log.getByText('Out of office')).toBeVisible()
  await expect(log.getByText('sender not verified')).toBeVisible()
  expect(await violationsInBothSchemes(admin.page)).toEqual([])
  const add = log.getByRole('button', { name: 'Add to conversation' })
  await admin.page.route('**/activity/*/message', (route) =>
    route.fulfill(ourError(route.request(), 409, { message: 'Not today.', code: 'conflict' })),
  )
  await add.click()
  await expect(admin.page.getByRole('region', { name: 'Notices' })).toContainText('Not today.')
  await admin.page.unroute('**/activity/*/message')
  await add.click()
  await expect(log.getByText('by email', { exact: true })).toHaveCount(2)
  await admin.page.reload()
  await expect(log.getByText('Added to the conversation')).toBeVisible()
  await expect(log.getByRole('button', { name: 'Add to conversation' })).toHaveCount(0)
})

test.skip(!(await hasImap()), 'left out: there is no Dovecot')
