import type { Page, Route } from '@playwright/test'
import { aliasOf } from '@proctorpass/shared/alias'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import type { Product } from './product.ts'
import { expect, freshTest, someClientId, TRANSPORTS, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true }

interface LoggedActivity {
  n: number
  kind: string
  data: Record<string, unknown>
}

/** The log of a conversation, as the server has it. */
async function activityOf(product: Product, clientId: string): Promise<LoggedActivity[]> {
  const { activity } = await product.callAsAdmin<{ activity: LoggedActivity[] }>(
    'GET',
    `/chat/admin/${clientId}/activity`,
  )
  return activity
}

/** Another admin, who can be mentioned. */
async function addAnna(product: Product): Promise<void> {
  const { invite } = await product.callAsAdmin<{ invite: string }>('POST', '/team', {
    userName: 'anna',
    displayName: 'Anna',
  })
  const answer = await fetch(product.url('/api/invite'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: new URL(invite).hash.slice(1), password: 'lantern orbit velvet' }),
  })
  expect(answer.status).toBe(200)
}

const noteBox = (page: Page) => page.getByRole('textbox', { name: 'Your note' })
const menu = (page: Page, name: string) => page.getByRole('dialog', { name })

test('J and K go through the list that a conversation was opened from', async ({ admin, product }) => {
  const [first, other, second, third] = [someClientId(), someClientId(), someClientId(), someClientId()]
  for (const clientId of [first, other, second, third]) await product.post(clientId, `hello from ${clientId}`)
  for (const clientId of [first, second, third]) {
    await product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, { labels: ['vip'] })
  }
  const { page } = admin
  const address = (clientId: string) => product.url(`/dashboard/messages/${clientId}?label=vip`)
  const expectOpen = async (clientId: string) => {
    await expect(page).toHaveURL(address(clientId))
    await expect(admin.message(`hello from ${clientId}`)).toBeVisible()
  }
  await admin.goto('/dashboard/chats?label=vip')
  await admin.view(first)
  await expectOpen(first)
  await expect(admin.box).toBeFocused()
  await page.keyboard.press('j')
  await expect(admin.box).toHaveValue('j')
  await page.keyboard.press('Escape')
  for (const clientId of [second, third]) {
    await page.keyboard.press('j')
    await expectOpen(clientId)
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  }
  // There is none below, and the box was not focused.
  await page.keyboard.press('j')
  await expectOpen(third)
  await page.keyboard.press('k')
  await expectOpen(second)
  // It keeps its place when it is answered, as the list beside it shows it.
  await admin.send('an answer')
  await page.keyboard.press('Escape')
  await page.keyboard.press('k')
  await expectOpen(first)
  await expect(admin.box).toHaveValue('j')
})

freshTest(
  'a note from the message box hands the conversation over by five keys',
  async ({ browser, product }) => {
    await addAnna(product)
    const clientId = someClientId()
    await product.post(clientId, 'Can I have my money back?')
    const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`)
    const { page } = admin
    const { keyboard } = page
    await expect(admin.message('Can I have my money back?')).toBeVisible()
    await admin.box.focus()
    await keyboard.press('Escape')
    await keyboard.press('n')
    const assign = page.getByRole('option', { name: '@anna and assign' })
    await keyboard.type('@an')
    await expect(assign).toBeVisible()
    await keyboard.press('ArrowDown')
    await expect(assign).toHaveAttribute('aria-selected', 'true')
    await keyboard.press('Enter')
    await expect(page.getByText('Assigns the conversation to')).toBeVisible()
    expect(await violations(page)).toEqual([])
    await keyboard.type('please refund')
    await keyboard.press('Enter')
    await expect(admin.log.getByText('@anna please refund')).toBeVisible()
    await expect(page.getByRole('list', { name: 'State' })).toContainText('Assigned to')
    await expect(page.getByText('Assigns the conversation to')).toHaveCount(0)
    expect((await activityOf(product, clientId)).map(({ n, kind }) => [n, kind])).toEqual([
      [1, 'note'],
      [2, 'assignee'],
    ])

    // A longer name is another name.
    await keyboard.press('Escape')
    await keyboard.press('n')
    await keyboard.type('@an')
    await expect(assign).toBeVisible()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await expect(page.getByText('Assigns the conversation to')).toBeVisible()
    await keyboard.press('Backspace')
    await keyboard.type('bel')
    await expect(page.getByText('Assigns the conversation to')).toHaveCount(0)
    await admin.leave()
  },
)

freshTest('the whole flow goes by keyboard', async ({ browser, product }) => {
  await addAnna(product)
  const [first, second] = [someClientId(), someClientId()] as const
  await product.post(first, 'Can I have my money back?')
  await product.post(second, 'Hello?')
  const admin = await Admin.signIn(browser, product, '/dashboard/chats')
  const { page } = admin
  const { keyboard } = page
  await expect(admin.row(first)).toBeVisible()
  await keyboard.press('j')
  await keyboard.press('Enter')
  await expect(page).toHaveURL(product.url(`/dashboard/messages/${first}`))
  await expect(admin.box).toBeFocused()

  await test.step('shortcuts are text in a field, and Escape leaves it', async () => {
    await keyboard.type('ej?/')
    await expect(admin.box).toHaveValue('ej?/')
    await keyboard.press('Control+A')
    await keyboard.press('Delete')
    await keyboard.press('Escape')
    await expect(admin.box).not.toBeFocused()
  })

  await test.step('a note with a mention', async () => {
    await keyboard.press('n')
    await expect(noteBox(page)).toBeFocused()
    await keyboard.type('Please refund, @an')
    await expect(page.getByRole('option', { name: /@anna/ }).first()).toHaveAttribute('aria-selected', 'true')
    expect(await violations(page)).toEqual([])
    await keyboard.press('Enter')
    await expect(noteBox(page)).toHaveValue('Please refund, @anna ')
    await keyboard.press('Enter')
    await expect(admin.log.getByText('Please refund, @anna')).toBeVisible()
    await expect(admin.log.getByText('You · Visible to your team only')).toBeVisible()
    await expect(page.getByText('Saving...')).toHaveCount(0)
    await keyboard.press('Escape')
  })

  await test.step('a label', async () => {
    await keyboard.press('l')
    await expect(menu(page, 'Labels')).toBeVisible()
    await keyboard.type('Refund')
    await keyboard.press('Enter')
    await keyboard.press('Enter')
    await expect(admin.log.getByText('You added Refund')).toBeVisible()
  })

  await test.step('an assignee', async () => {
    await keyboard.press('a')
    await expect(menu(page, 'Assign')).toBeVisible()
    expect(await violations(page)).toEqual([])
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await expect(admin.log.getByText(/^You (took this conversation|assigned this to Anna)/)).toBeVisible()
  })

  await test.step('a snooze, and its end from the command menu', async () => {
    await keyboard.press('s')
    await expect(menu(page, 'Snooze')).toBeVisible()
    await keyboard.press('Tab')
    await keyboard.press('Shift+Tab')
    await keyboard.press('Enter')
    await expect(page).toHaveURL(product.url(`/dashboard/messages/${second}`))
    await page.goBack()
    await expect(admin.log.getByText(/^You snoozed this until/)).toBeVisible()
    await keyboard.press('Escape')
    await keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Find a command' })
    await expect(field).toBeFocused()
    await keyboard.type('reop')
    await expect(page.getByRole('option', { name: 'Reopen' })).toHaveAttribute('aria-selected', 'true')
    expect(await violations(page)).toEqual([])
    await keyboard.press('Enter')
    await expect(admin.log.getByText('You ended the snooze')).toBeVisible()
    await keyboard.press('Escape')
  })

  await test.step('resolving leads to the next, and Undo takes it back', async () => {
    await keyboard.press('e')
    await expect(page).toHaveURL(product.url(`/dashboard/messages/${second}`))
    await expect(page.getByRole('button', { name: 'Resolve' })).toBeVisible()
    await keyboard.press('e')
    await expect(page.getByText('No other conversations are waiting')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible()
    await expect(page.getByRole('region', { name: /^Conversation with/ })).toHaveCount(1)
    await expect(page).toHaveURL(product.url(`/dashboard/messages/${second}`))
    await keyboard.press('Control+z')
    await expect(admin.log.getByText('You reopened this')).toBeVisible()
  })

  await test.step('the list of keys', async () => {
    await keyboard.press('?')
    await expect(menu(page, 'Keyboard shortcuts').getByText('Resolve', { exact: true })).toBeVisible()
    expect(await violations(page)).toEqual([])
    await keyboard.press('Escape')
  })

  await test.step('a visitor by the alias, from the message box', async () => {
    await keyboard.press('r')
    await keyboard.press('Control+k')
    await keyboard.type(aliasOf(first).toLowerCase())
    await expect(page.getByRole('option').first()).toHaveText(`Open ${aliasOf(first)}`)
    await page.getByRole('option', { name: `Open ${aliasOf(first)}` }).click()
    await expect(page).toHaveURL(product.url(`/dashboard/messages/${first}`))
  })

  expect((await activityOf(product, first)).map(({ n, kind }) => [n, kind])).toEqual([
    [1, 'note'],
    [2, 'labels'],
    [3, 'assignee'],
    [4, 'status'],
    [5, 'status'],
    [6, 'status'],
  ])
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

freshTest('the whole flow goes by touch at 390 px', async ({ browser, product }) => {
  await addAnna(product)
  const [first, second] = [someClientId(), someClientId()] as const
  await product.post(first, 'Can I have my money back?')
  await product.post(second, 'Hello?')
  const admin = await Admin.signIn(browser, product, `/dashboard/messages/${first}`, PHONE)
  const { page } = admin
  const tap = (name: string) => page.getByRole('button', { name, exact: true }).tap()
  await expect(admin.message('Can I have my money back?')).toBeVisible()
  expect(await violations(page)).toEqual([])

  await tap('Note')
  await noteBox(page).fill('Ask @an')
  await page.getByRole('option', { name: /@anna/ }).first().tap()
  await expect(noteBox(page)).toHaveValue('Ask @anna ')
  await tap('Add note')
  await expect(admin.log.getByText('Ask @anna')).toBeVisible()

  await tap('More about this conversation')
  await tap('Assign')
  await menu(page, 'Assign').getByRole('button', { name: 'Anna' }).tap()
  await expect(admin.log.getByText('You assigned this to Anna')).toBeVisible()
  await tap('More about this conversation')
  await tap('Visitor')
  await expect(menu(page, 'Visitor').getByText(first)).toBeVisible()
  await menu(page, 'Visitor').getByRole('button', { name: 'Close' }).tap()
  await tap('Commands')
  await page.getByRole('option', { name: /^Resolve/ }).tap()
  await expect(page).toHaveURL(product.url(`/dashboard/messages/${second}`))
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(beyond).toBeLessThanOrEqual(0)
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

test('a note and a reply have drafts of their own, and an unsent note survives a reload', async ({
  admin,
  product,
}) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'Hello?')
  await admin.goto(`/dashboard/messages/${clientId}`)
  await admin.box.fill('half a reply')
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  await noteBox(page).fill('half a note')
  await page.reload()
  await expect(admin.box).toHaveValue('half a reply')
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  await expect(noteBox(page)).toHaveValue('half a note')

  // The server stores the note, and its answer is lost: the repetition must not store another.
  await page.route('**/notes', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await noteBox(page).fill('told once')
  await noteBox(page).press('Enter')
  await expect.poll(async () => (await activityOf(product, clientId)).length).toBe(1)
  await page.reload()
  await page.unroute('**/notes')
  await expect(admin.log.getByText('told once')).toHaveCount(1)
  await expect
    .poll(() =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('outbox:notes:'))),
    )
    .toEqual([])
  await expect(admin.log.getByText('told once')).toHaveCount(1)
  expect(await activityOf(product, clientId)).toHaveLength(1)
})

test('a list that was read before a conversation was marked as unread is read again', async ({
  admin,
  product,
}) => {
  const clientId = someClientId()
  await product.post(clientId, 'Hello?')
  await admin.goto(`/dashboard/messages/${clientId}?tab=all`)
  await expect(admin.message('Hello?')).toBeVisible()
  const second = await admin.page.context().newPage()
  await second.goto(product.url('/dashboard/chats?tab=all'))
  const row = second.locator('tr[data-index]', { hasText: clientId })
  await expect(row).toHaveAttribute('data-new', 'false')

  // The server's answer stays on its way.
  const isRead = Promise.withResolvers<void>()
  const mayArrive = Promise.withResolvers<void>()
  const hasArrived = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    const response = await route.fetch()
    isRead.resolve()
    await mayArrive.promise
    // The page may have canceled the request.
    await route.fulfill({ response }).catch(() => {})
    hasArrived.resolve()
  }
  await second.route(/\/api\/chat(\?|$)/, hold, { times: 1 })
  await product.post(clientId, 'Hello again?')
  await expect(admin.message('Hello again?')).toBeVisible()
  await isRead.promise
  await admin.page.bringToFront()
  await admin.page.keyboard.press('Escape')
  await admin.page.keyboard.press('u')
  await expect(admin.page).toHaveURL(product.url('/dashboard/chats?tab=all'))
  await expect(row).toHaveAttribute('data-new', 'true')
  mayArrive.resolve()
  await hasArrived.promise
  await second.evaluate(() => new Promise(requestAnimationFrame))
  await expect(row).toHaveAttribute('data-new', 'true')
  await second.close()
})

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`in ${transport}`, () => {
    test.use({ env: { ...env, RATE_LIMITS: 'off' } })

    test('each dashboard shows what another admin notes and changes', async ({ admin, browser, product }) => {
      const clientId = someClientId()
      await product.post(clientId, 'Hello?')
      await admin.goto(`/dashboard/messages/${clientId}`)
      const other = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`)
      await expect(other.message('Hello?')).toBeVisible()
      await admin.page.getByRole('button', { name: 'Note', exact: true }).click()
      await noteBox(admin.page).fill('for all of us')
      await noteBox(admin.page).press('Enter')
      await expect(other.log.getByText('for all of us')).toHaveCount(1)
      await admin.page.getByRole('button', { name: 'Resolve', exact: true }).click()
      await expect(other.log.getByText('You resolved this')).toHaveCount(1)
      await expect(other.page.getByRole('button', { name: 'Reopen', exact: true })).toBeVisible()
      await product.post(clientId, 'One more thing')
      await expect(admin.log.getByText('Reopened by a new message')).toHaveCount(1)
      await expect(other.page.getByRole('button', { name: 'Resolve', exact: true })).toBeVisible()
      await other.leave()
    })

    test('a thank-you needs no answer with one key, on every dashboard, and Undo takes it back', async ({
      admin,
      browser,
      product,
    }) => {
      const clientId = someClientId()
      await product.post(clientId, 'Thank you!')
      await admin.goto(`/dashboard/messages/${clientId}`)
      const other = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`)
      const button = (page: Page) => page.getByRole('button', { name: 'Needs no answer', exact: true })
      await expect(button(admin.page)).toBeVisible()
      await expect(button(other.page)).toBeVisible()
      await expect(admin.message('Thank you!')).toBeVisible()
      await admin.page.keyboard.press('Escape')
      await admin.page.keyboard.press('d')
      await expect(button(admin.page)).toHaveCount(0)
      await expect(button(other.page)).toHaveCount(0)
      await expect(other.log.getByText('You decided that this needs no answer')).toHaveCount(1)
      await expect(admin.page.getByRole('button', { name: 'Resolve', exact: true })).toBeVisible()
      await admin.page.keyboard.press('Control+z')
      await expect(button(admin.page)).toBeVisible()
      await expect(button(other.page)).toBeVisible()

      await button(other.page).click()
      await expect(button(other.page)).toHaveCount(0)
      await expect(other.page.getByRole('button', { name: 'Resolve', exact: true })).toBeFocused()
      await expect(button(admin.page)).toHaveCount(0)
      // From here on, only the message says that the visitor waits.
      for (const { log } of [admin, other])
        await expect(log.getByText('You decided that this needs no answer')).toHaveCount(2)
      await product.post(clientId, 'One more thing')
      await expect(button(admin.page)).toBeVisible()
      await expect(button(other.page)).toBeVisible()
      await other.leave()
    })

    test('a conversation is marked as unread for one admin, until it is opened anew', async ({
      admin,
      browser,
      product,
    }) => {
      const clientId = someClientId()
      await product.post(clientId, 'Hello?')
      await admin.goto(`/dashboard/messages/${clientId}?tab=all`)
      await expect(admin.message('Hello?')).toBeVisible()
      const second = await admin.page.context().newPage()
      await second.goto(product.url('/dashboard/chats?tab=all'))
      const rowOf = (page: Page) => page.locator('tr[data-index]', { hasText: clientId })
      await expect(rowOf(second)).toHaveAttribute('data-new', 'false')
      await admin.page.bringToFront()
      await admin.page.keyboard.press('Escape')
      await admin.page.keyboard.press('u')
      await expect(admin.page).toHaveURL(product.url('/dashboard/chats?tab=all'))
      await expect(rowOf(admin.page)).toContainText('New')
      await expect(rowOf(second)).toHaveAttribute('data-new', 'true')
      await second.close()
      await admin.page.reload()
      await expect(rowOf(admin.page)).toContainText('New')
      const other = await Admin.signIn(browser, product, '/dashboard/chats?tab=all')
      await expect(rowOf(other.page)).toBeVisible()
      await rowOf(admin.page).getByRole('link').click()
      await expect(admin.message('Hello?')).toBeVisible()
      // Who goes back at once may not have seen it.
      const seen = async () => {
        const list = await product.callAsAdmin<ConversationSummary[]>('GET', '/chat')
        return list.find((each) => each.clientId === clientId)?.seen
      }
      await expect.poll(seen).toBe(1)
      await admin.page.goBack()
      await expect(rowOf(admin.page)).toHaveAttribute('data-new', 'false')
      await rowOf(admin.page).getByRole('link').focus()
      await admin.page.keyboard.press('u')
      await expect(rowOf(admin.page)).toContainText('New')
      await other.leave()
    })

    test("a visitor's wire carries nothing of notes, labels, status and assignee", async ({
      browser,
      admin,
      product,
    }) => {
      const visitor = await Visitor.arrive(browser, product, { path: '/login' })
      // What the server says of this conversation, and all other answers: scripts and suggestions contain common words.
      const wire: string[] = []
      const files: string[] = []
      const reading: Promise<unknown>[] = []
      visitor.page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => wire.push(String(payload))),
      )
      visitor.page.on('response', (response) => {
        const heard = /\/assets\/|\/suggestions/.test(response.url()) ? files : wire
        const headers = JSON.stringify(response.headers())
        reading.push(
          response.text().then(
            (text) => heard.push(`${response.url()} ${headers} ${text}`),
            () => {},
          ),
        )
      })
      await visitor.goto('/')
      await visitor.openChat()
      await visitor.send('Hello?')
      const clientId = await visitor.clientId()
      const { admins } = await product.callAsAdmin<{ admins: { userId: string }[] }>('GET', '/team')
      const assigneeId = admins[0]?.userId ?? ''

      await admin.goto(`/dashboard/messages/${clientId}`)
      await expect(admin.message('Hello?')).toBeVisible()
      await admin.page.getByRole('button', { name: 'Note', exact: true }).click()
      await noteBox(admin.page).pressSequentially('xylophone secret')
      await noteBox(admin.page).press('Enter')
      await expect(admin.log.getByText('xylophone secret')).toBeVisible()
      const change = (body: unknown) => product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, body)
      await change({ labels: ['Zeppelin'] })
      await change({ status: 'snoozed', snoozedUntil: new Date(Date.now() + 3_600_000).toISOString() })
      await change({ status: 'resolved' })
      await change({ status: 'spam' })
      await visitor.send('Are you there?')
      await change({ spam: false })
      // Before the reply, whose sender a visitor may know.
      await change({ assigneeId })
      await expect(admin.log.getByText('You took this conversation')).toBeVisible()
      await visitor.send('Still here')
      await expect(admin.message('Still here')).toBeVisible()
      await Promise.all(reading)
      const told = () => wire.join('\n')
      const unknown = [
        'xylophone',
        'Zeppelin',
        'afterSeq',
        'assignee',
        'snoozed',
        '"resolved"',
        'spam',
        '"typing":true',
      ]
      expect([...unknown, assigneeId].filter((hidden) => told().includes(hidden))).toEqual([])

      // The search finds what a visitor does receive.
      await admin.page.getByRole('button', { name: 'Reply', exact: true }).click()
      await admin.send('a marzipan answer')
      await expect(visitor.message('a marzipan answer')).toBeVisible()
      await expect.poll(() => told().includes('marzipan')).toBe(true)
      await visitor.page.reload()
      await visitor.openChat()
      await expect(visitor.message('a marzipan answer')).toBeVisible()
      await visitor.send('Thank you')
      await Promise.all(reading)
      // An admin who types a reply may be seen to.
      expect(unknown.slice(0, -1).filter((hidden) => told().includes(hidden))).toEqual([])
      for (const secret of ['xylophone', 'Zeppelin']) expect(files.join('\n')).not.toContain(secret)
      expect(files.length).toBeGreaterThan(0)
      await visitor.leave()
    })
  })
}
