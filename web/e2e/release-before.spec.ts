import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { lacksReleaseBefore, provideReleaseBefore, runBefore } from '../../api/test/release-before.ts'
import { temporaryDir } from '../../api/test/server-process.ts'
import { Admin, type Visitor } from './people.ts'
import { picture } from './pictures.ts'
import { FreshProduct } from './product.ts'
import { expect, TRANSPORTS, test as withProduct } from './test.ts'

const lacking = lacksReleaseBefore()
withProduct.skip(lacking !== null, lacking ?? '')
withProduct.beforeAll(async () => {
  // A busy machine makes the release before in minutes.
  withProduct.setTimeout(600_000)
  await provideReleaseBefore()
})
withProduct.setTimeout(300_000)

/** With the server of the release before. */
const test = withProduct.extend<{ product: FreshProduct }>({
  product: async ({ env }, use) => {
    const product = await FreshProduct.start(
      { RATE_LIMITS: 'off', ...env },
      { entry: await provideReleaseBefore() },
    )
    await product.configure({ files: true, rating: true })
    await use(product)
    await product.dispose()
  },
})

const UNREACHABLE = "We can't reach the server. We'll keep trying."

/** What a person sees: each text as often as it is shown. */
const shown = (person: Visitor | Admin) =>
  person.log.locator(':is([data-seq], [data-waiting]) .chat-text').allInnerTexts()

async function expectShown(person: Visitor | Admin, texts: string[]): Promise<void> {
  await expect.poll(() => shown(person)).toEqual(texts)
}

/** Complaints that are not about a server that was down. */
const complaints = (person: Visitor | Admin) =>
  person.complaints.filter((each) => !/ERR_CONNECTION|WebSocket|Failed to load resource/.test(each))

async function choosePicture(person: Visitor | Admin, name: string): Promise<void> {
  const chooser = person.page.waitForEvent('filechooser')
  await person.page.getByRole('button', { name: 'Attach a file' }).click()
  await (await chooser).setFiles([{ name, mimeType: 'image/png', buffer: await picture(400, 300) }])
}

const chosen = (person: Visitor | Admin, name: string) =>
  person.page.getByRole('list', { name: 'Files to send' }).getByText(name)

async function sendPicture(person: Visitor | Admin, name: string): Promise<void> {
  await choosePicture(person, name)
  await expect(chosen(person, name)).toBeVisible()
  await person.page.getByRole('button', { name: 'Send', exact: true }).click()
}

const pictureOf = (person: Visitor | Admin, name: string) =>
  person.log.getByRole('button', { name: `Open ${name}` })

async function seesTyping(admin: Admin, visitor: Visitor): Promise<void> {
  // Both sockets are up again: one that is not misses the hint.
  await expect(visitor.panel.getByText(/we're online/i)).toBeVisible()
  await visitor.box.pressSequentially('I am wri')
  await expect(admin.page.getByText(/typing/i)).toBeVisible()
  await visitor.box.fill('')
}

async function rate(visitor: Visitor): Promise<void> {
  const scores = visitor.log.getByRole('group', { name: 'Was this helpful?' })
  await scores.getByRole('radio', { name: '4: Mostly' }).check({ force: true })
  await visitor.log.getByRole('button', { name: 'Send rating' }).click()
  await expect(visitor.log.getByText('Thanks for your rating!')).toBeVisible()
}

/** What the engine has not sent yet. */
const unsent = (person: Visitor | Admin) =>
  person.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('outbox:')))

/** A chat and an inbox with one conversation, of which each side has seen something. */
async function begin(visitor: Visitor, admin: Admin): Promise<string> {
  await visitor.send('a question')
  const clientId = await visitor.clientId()
  await admin.goto(`/dashboard/messages/${clientId}`)
  await admin.send('an answer')
  await expectShown(visitor, ['a question', 'an answer'])
  await expect(admin.log.getByText(/Seen/)).toBeVisible()
  return clientId
}

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(transport, () => {
    test.use({ env })

    test('pages of the release before show everything once after an upgrade, and after a reload', async ({
      product,
      visitor,
      admin,
    }) => {
      const clientId = await begin(visitor, admin)
      // Loads the parts of the chat that are used below: the new server does not have those of the old page.
      await sendPicture(visitor, 'first.png')
      await expect(pictureOf(admin, 'first.png')).toBeVisible()
      await visitor.panel.getByRole('button', { name: 'More' }).click()
      // Until the focus is in the menu, Escape closes that page's whole chat.
      await expect(visitor.panel.locator('.chat-menu button').first()).toBeFocused()
      await visitor.page.keyboard.press('Escape')
      const otherTab = await visitor.openTab('/contact')

      await product.shutDown()
      await visitor.type('typed while it was down')
      await product.startAgain()
      await visitor.expectSent('typed while it was down')
      const texts = ['a question', 'an answer', 'typed while it was down']
      await expectShown(admin, texts)
      await expect(visitor.log.getByText(/Seen/)).toBeVisible()
      if (transport === 'push') await seesTyping(admin, visitor)

      // What only this release knows.
      const greeting = { en: 'Hello from this release', zh: '', de: 'Hallo' }
      await product.configure({ languages: ['en', 'zh', 'de'], greeting })
      const formatted = 'Bring **your passport**'
      await admin.send('On Tuseday')
      const { seq } = (await product.stored(clientId)).at(-1) ?? {}
      await expect(visitor.message('On Tuseday')).toHaveCount(1)
      await product.callAsAdmin('PATCH', `/chat/admin/${clientId}/messages/${seq}`, {
        ...{ nonce: 'a-correction-of-a-word', message: 'On Tuesday' },
      })
      await product.reply(clientId, formatted)
      await product.callAsAdmin('POST', `/chat/admin/${clientId}/scheduled`, {
        ...{ nonce: 'a-message-sent-later-on', message: 'sent later' },
        sendAt: new Date(Date.now() + 3_000).toISOString(),
      })
      // The admin's page stays unaware of the correction, too, until it is loaded again.
      for (const page of [visitor, admin])
        await expectShown(page, [...texts, 'On Tuseday', formatted, 'sent later'])

      await sendPicture(visitor, 'second.png')
      await expect(pictureOf(admin, 'second.png')).toBeVisible()
      // What this page never loaded, it cannot load any more.
      await choosePicture(admin, 'third.png')
      await expect(admin.page.getByText(/^Files can't be attached right now/)).toBeVisible()
      await visitor.send('thanks')
      await expect(admin.message('thanks')).toHaveCount(1)
      await admin.send('welcome')
      await expect(visitor.message('welcome')).toHaveCount(1)
      await product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, { status: 'resolved' })
      await rate(visitor)
      for (const page of [visitor, admin]) {
        expect(complaints(page)).toEqual([])
        expect(await unsent(page)).toEqual([])
      }

      // A tab on another page loads what it needs from the new server.
      await otherTab.page.getByRole('banner').getByRole('link', { name: 'FAQ' }).click()
      await expect(otherTab.page.getByRole('heading', { level: 1 })).toHaveText(/questions/i)

      const all = [...texts, 'On Tuesday', 'Bring your passport', 'sent later', 'thanks', 'welcome']
      await visitor.page.reload()
      await visitor.openChat()
      await otherTab.openChat()
      await admin.page.reload()
      for (const page of [visitor, otherTab, admin]) await expectShown(page, all)
      await expect(visitor.log.getByText('edited')).toBeVisible()
      await expect(visitor.log.getByText(greeting.en)).toBeVisible()
      await sendPicture(admin, 'third.png')
      for (const name of ['first.png', 'second.png', 'third.png'])
        await expect(pictureOf(visitor, name)).toHaveCount(1)
      expect((await product.stored(clientId)).length).toBe(all.length + 3)
    })

    test('pages of this release lose and repeat nothing at a server of the release before', async ({
      browser,
      product,
      visitor,
      admin,
    }) => {
      const clientId = await begin(visitor, admin)
      await product.shutDown()
      // The same conversation for both releases: a newer store does not open in the release before.
      const copy = temporaryDir('upgraded')
      cpSync(product.dataDir, copy.path, { recursive: true })
      await product.startAgain({}, { dataDir: copy.path })
      await visitor.page.reload()
      await visitor.openChat()
      await admin.page.reload()
      const texts = ['a question', 'an answer']
      for (const page of [visitor, admin]) await expectShown(page, texts)
      // Loads the part that sends files.
      await choosePicture(visitor, 'not sent.png')
      await visitor.page.getByRole('button', { name: 'Remove not sent.png' }).click()
      await expect(chosen(visitor, 'not sent.png')).toHaveCount(0)

      await product.shutDown()
      await visitor.type('typed while it was down')
      await product.startAgain({}, { entry: await provideReleaseBefore() })
      texts.push('typed while it was down')
      if (transport === 'push') {
        await visitor.expectSent('typed while it was down')
        await expectShown(admin, texts)
        await seesTyping(admin, visitor)
        await admin.send('another answer')
        await product.reply(clientId, 'Bring **your passport**')
        texts.push('another answer', 'Bring **your passport**')
        // The server lacks the part that shows formatting to visitors.
        await expectShown(visitor, texts)
        await expectShown(admin, texts.toSpliced(-1, 1, 'Bring your passport'))
        // It does not know corrections.
        await admin.send('on Tuseday')
        await admin.box.press('ArrowUp')
        const edited = admin.page.getByRole('textbox', { name: 'Edit message' })
        await edited.fill('on Tuesday')
        await edited.press('Enter')
        await expect(admin.page.getByText(/can't reach the server/)).toBeVisible()
        await edited.press('Escape')
        texts.push('on Tuseday')
      } else {
        // A new page takes no answer of a server that does not name the call, and says so.
        await expect(visitor.panel.getByText(UNREACHABLE)).toBeVisible()
        await expect.poll(() => product.texts(clientId)).toEqual(texts)
        await product.reply(clientId, 'written meanwhile')
        await expectShown(visitor, texts)
        texts.push('written meanwhile')
      }
      await sendPicture(visitor, 'from the visitor.png')

      // Their own pages send what waits.
      await visitor.page.reload()
      await visitor.openChat()
      // The copy has the session's newest token.
      const again = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`)
      for (const page of [visitor, again]) {
        await expectShown(page, texts)
        await expect(pictureOf(page, 'from the visitor.png')).toHaveCount(1)
      }
      await again.leave()
      await expect.poll(() => unsent(visitor)).toEqual([])
      expect((await product.stored(clientId)).length).toBe(texts.length + 1)
      copy.remove()
    })

    test('pages of this release show a store that the release before restored', async ({
      product,
      visitor,
      admin,
    }) => {
      const clientId = await begin(visitor, admin)
      await product.shutDown()
      const other = temporaryDir('restored')
      runBefore(product.dataDir, 'backup', join(other.path, 'a.backup'))
      await product.startAgain()
      await visitor.page.reload()
      await visitor.openChat()
      await visitor.send('not in the backup')

      await product.shutDown()
      await visitor.type('typed while it was down')
      const dataDir = join(other.path, 'data')
      runBefore(dataDir, 'restore', join(other.path, 'a.backup'))
      cpSync(join(product.dataDir, 'jwt-secret'), join(dataDir, 'jwt-secret'))
      await product.startAgain({}, { entry: await provideReleaseBefore(), dataDir })
      const texts = ['a question', 'an answer', 'typed while it was down']
      if (transport === 'polling') {
        await expect(visitor.panel.getByText(UNREACHABLE)).toBeVisible()
        await visitor.page.reload()
        await visitor.openChat()
      }
      await expect.poll(() => product.texts(clientId)).toEqual(texts)
      await expectShown(visitor, texts)
      await product.reply(clientId, 'an answer to it')
      await expectShown(visitor, [...texts, 'an answer to it'])
      expect(await product.texts(clientId)).toEqual([...texts, 'an answer to it'])
      other.remove()
    })
  })
}
