import { Visitor } from './people.ts'
import { expect, freshTest, someClientId, TRANSPORTS, test } from './test.ts'

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`a conversation in ${transport}`, () => {
    test.use({ env })

    test('works in both directions and shows read marks to each side', async ({ visitor, admin }) => {
      await visitor.send('Is my webcam good enough?')
      const clientId = await visitor.clientId()

      await admin.view(clientId)
      await expect(admin.message('Is my webcam good enough?')).toBeVisible()
      await expect(visitor.log.getByText(/Seen/)).toBeVisible()

      await admin.send('Let us try it together.')
      await expect(visitor.message('Let us try it together.')).toBeVisible()
      await expect(admin.log.getByText(/Seen/)).toBeVisible()

      await visitor.type('Gladly.')
      await expect(admin.message('Gladly.')).toBeVisible()
    })

    test('is erased for both sides by either side', async ({ visitor, admin, product }) => {
      await visitor.send('Please forget this.')
      const clientId = await visitor.clientId()
      const more = visitor.panel.getByRole('button', { name: 'More' })
      const close = visitor.panel.getByRole('button', { name: 'Close chat' })
      // One row of buttons in the panel's header.
      await expect(async () => {
        expect((await more.boundingBox())?.y).toBe((await close.boundingBox())?.y)
      }).toPass()
      await more.click()
      await visitor.panel.getByRole('button', { name: 'Erase this conversation' }).click()
      const question = visitor.page.getByRole('dialog', { name: 'Erase this conversation?' })
      await question.getByRole('button', { name: 'Erase' }).click()
      await expect(question).toBeHidden()
      await expect(visitor.message('Please forget this.')).toBeHidden()
      expect(await product.stored(clientId)).toEqual([])

      await visitor.send('A new question.')
      await admin.view(clientId)
      await expect(admin.message('A new question.')).toBeVisible()
      await expect(admin.message('Please forget this.')).toBeHidden()
      await admin.page.getByRole('button', { name: 'More about this conversation' }).click()
      await admin.page.getByRole('button', { name: 'Erase conversation' }).click()
      const adminQuestion = admin.page.getByRole('dialog', { name: 'Erase this conversation?' })
      await adminQuestion.getByRole('button', { name: 'Erase' }).click()
      await expect(admin.page).toHaveURL(/\/dashboard\/chats$/)
      expect(await product.stored(clientId)).toEqual([])
    })

    test('is closed to another browser that only has the clientId', async ({
      browser,
      visitor,
      admin,
      product,
    }) => {
      await visitor.send('This is private.')
      const clientId = await visitor.clientId()

      const stranger = await Visitor.arrive(browser, product, { stored: { clientId } })
      await stranger.openChat()
      await stranger.send('Who is there?')
      expect(await stranger.clientId()).not.toBe(clientId)

      await admin.view(clientId)
      await admin.send('For your eyes only.')
      await visitor.send('Thank you.')
      await expect(visitor.message('For your eyes only.')).toBeVisible()
      await expect(visitor.message('Who is there?')).toBeHidden()
      await stranger.page.reload()
      await stranger.openChat()
      await expect(stranger.message('Who is there?')).toBeVisible()
      for (const text of ['This is private.', 'For your eyes only.', 'Thank you.']) {
        await expect(stranger.message(text)).toBeHidden()
      }
      expect(await product.texts(clientId)).toEqual(['This is private.', 'For your eyes only.', 'Thank you.'])
      await stranger.leave()
    })

    test('of an older page without a key is claimed by its own browser', async ({ browser, product }) => {
      const clientId = someClientId()
      await product.post(clientId, 'from an older page')
      const visitor = await Visitor.arrive(browser, product, { stored: { clientId } })
      await visitor.openChat()
      await expect(visitor.message('from an older page')).toBeVisible()
      await visitor.send('from a newer page')
      expect(await visitor.clientId()).toBe(clientId)
      await expect(product.post(clientId, 'too late')).rejects.toThrow('403')
      await visitor.page.reload()
      await visitor.openChat()
      await expect(visitor.message('from a newer page')).toBeVisible()
      await visitor.leave()
    })

    freshTest(
      'stores a message typed offline exactly once, also after a reload',
      async ({ visitor, product }) => {
        await visitor.send('before')

        await product.kill()
        await visitor.type('while nobody answers')
        await expect(visitor.panel.getByText('Sending...')).toBeVisible()
        await expect(visitor.panel.getByText('Connecting...')).toBeVisible()
        await product.startAgain()
        await visitor.page.reload()
        await visitor.openChat()

        await visitor.expectSent('while nobody answers')
        expect(await product.texts(await visitor.clientId())).toEqual(['before', 'while nobody answers'])
      },
    )

    test('sends a message of a page that was reloaded while offline', async ({ visitor, product }) => {
      await visitor.send('before')
      const context = visitor.page.context()

      await context.setOffline(true)
      await visitor.type('from a tunnel')
      await expect(visitor.panel.getByText('Sending...')).toBeVisible()
      await visitor.page.reload().catch(() => null)
      await context.setOffline(false)
      await visitor.goto('/')
      await visitor.openChat()

      await visitor.expectSent('from a tunnel')
      expect(await product.texts(await visitor.clientId())).toEqual(['before', 'from a tunnel'])
    })

    test('is shared by two tabs, and neither sends a message twice', async ({ visitor, product }) => {
      await visitor.send('first tab')
      const other = await visitor.openTab()
      await other.openChat()
      await expect(other.message('first tab')).toBeVisible()
      expect(await other.clientId()).toBe(await visitor.clientId())

      await visitor.page.context().setOffline(true)
      await visitor.type('one')
      await other.type('two')
      await visitor.type('three')
      await visitor.page.context().setOffline(false)

      for (const tab of [visitor, other]) {
        for (const text of ['one', 'two', 'three']) await tab.expectSent(text)
      }
      expect(await product.texts(await visitor.clientId())).toEqual(['first tab', 'one', 'two', 'three'])
    })

    freshTest('continues after the server was killed and restarted', async ({ visitor, admin, product }) => {
      await visitor.send('one')
      const clientId = await visitor.clientId()
      await admin.view(clientId)
      await expect(admin.message('one')).toBeVisible()

      await product.kill()
      await visitor.type('two')
      await admin.type('three')
      await product.startAgain()

      // The longer the server was away, the longer the pauses between two attempts: 30 seconds at most.
      const timeout = 45_000
      await expect(visitor.panel.getByText('Sending...')).toHaveCount(0, { timeout })
      await visitor.expectSent('two')
      await expect(admin.message('two')).toBeVisible({ timeout })
      // The admin's message is held, because the visitor has written since.
      const sendAnyway = admin.log.getByRole('button', { name: 'Send', exact: true })
      await expect(admin.message('three')).toBeVisible()
      await expect
        .poll(
          async () => {
            if (await sendAnyway.isVisible()) await sendAnyway.click()
            return (await product.texts(clientId)).sort()
          },
          { timeout },
        )
        .toEqual(['one', 'three', 'two'])
      await visitor.expectSent('three')
      const stored = await product.stored(clientId)
      expect(stored.map((message) => message.seq)).toEqual([1, 2, 3])
    })
  })
}

test.describe('typing', () => {
  test('shows on the other side until the message arrives', async ({ visitor, admin }) => {
    await visitor.send('hello')
    await admin.view(await visitor.clientId())
    await expect(admin.message('hello')).toBeVisible()

    await visitor.box.pressSequentially('I would')
    await expect(admin.page.getByText(/typing/i)).toBeVisible()
    await visitor.type('I would like to know')
    await expect(admin.message('I would like to know')).toBeVisible()
    await expect(admin.page.getByText(/typing/i)).toBeHidden()

    await admin.box.pressSequentially('Ask')
    await expect(visitor.panel.getByText(/typing/i)).toBeVisible()
    await admin.type('Ask away')
    await expect(visitor.message('Ask away')).toBeVisible()
    await expect(visitor.panel.getByText(/typing/i)).toBeHidden()
  })
})

freshTest(
  'a change of CHAT_TRANSPORT moves open pages both ways without a reload',
  async ({ visitor, admin, product }) => {
    test.setTimeout(240_000)
    const sockets: string[] = []
    const polls: string[] = []
    visitor.page.on('websocket', (socket) => sockets.push(socket.url()))
    visitor.page.on('request', (request) => {
      if (request.method() === 'GET' && request.url().includes('/api/chat/')) polls.push(request.url())
    })
    await visitor.send('pushed')
    await admin.view(await visitor.clientId())
    await expect(admin.message('pushed')).toBeVisible()

    await product.shutDown()
    await product.startAgain({ CHAT_TRANSPORT: 'polling', CHAT_POLL_MS: '500' })
    polls.length = 0
    await expect.poll(() => polls.length, { timeout: 60_000 }).toBeGreaterThan(3)
    await visitor.send('polled')
    await expect(admin.message('polled')).toBeVisible({ timeout: 60_000 })
    await admin.type('polled back')
    await expect(visitor.message('polled back')).toBeVisible()

    sockets.length = 0
    await product.shutDown()
    await product.startAgain({ CHAT_TRANSPORT: 'push' })
    await expect.poll(() => sockets.length, { timeout: 60_000 }).toBeGreaterThan(0)
    await visitor.send('pushed again')
    await expect(admin.message('pushed again')).toBeVisible({ timeout: 60_000 })
    await admin.type('and back')
    await expect(visitor.message('and back')).toBeVisible()

    expect(await product.texts(await visitor.clientId())).toEqual([
      'pushed',
      'polled',
      'polled back',
      'pushed again',
      'and back',
    ])
  },
)

test('a socket that cannot connect falls back to polling', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { path: '/login' })
  await visitor.page.routeWebSocket(/socket\.io/, () => {
    // Like a proxy that drops upgrades.
  })
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.send('through a bad proxy')
  await expect(visitor.panel.getByText('Connected')).toBeVisible()
  await visitor.leave()
})

test('a visitor receives nothing of another conversation', async ({ visitor, browser, product }) => {
  const other = await Visitor.arrive(browser, product)
  const frames: string[] = []
  other.page.on('websocket', (socket) =>
    socket.on('framereceived', (frame) => frames.push(String(frame.payload))),
  )
  await other.openChat()
  await other.send('mine')

  await visitor.send('between us')
  await other.send('still mine')
  await expect(other.message('between us')).toHaveCount(0)
  expect(frames.join('\n')).not.toContain('between us')
  expect(await other.clientId()).not.toBe(await visitor.clientId())
  await other.leave()
})

test('a message that a closed tab did not send is delivered on the next visit', async ({
  visitor,
  product,
}) => {
  await visitor.send('before')
  const context = visitor.page.context()
  await context.setOffline(true)
  await visitor.type('written and left')
  await expect(visitor.panel.getByText('Sending...')).toBeVisible()
  await visitor.page.close()
  await context.setOffline(false)

  const later = new Visitor(await context.newPage(), product)
  await later.goto('/')
  const clientId = await later.clientId()
  await expect.poll(async () => await product.texts(clientId)).toEqual(['before', 'written and left'])
})
