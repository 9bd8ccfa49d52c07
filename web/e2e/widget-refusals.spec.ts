import { violations } from './axe.ts'
import { Visitor } from './people.ts'
import { PDF, picture } from './pictures.ts'
import { expect, TRANSPORTS, test } from './test.ts'

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, locale: 'zh-CN' } as const
const BLOCKED = '您无法在此发送消息。请发邮件至 support@proctorpass.example。'

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`in ${transport}`, () => {
    test.use({ env })

    test('what the server refuses is said in the language of the visitor', async ({ browser, product }) => {
      const visitor = await Visitor.arrive(browser, product, PHONE)
      const { page } = visitor
      const panel = page.locator('.chat-panel')
      const send = async (text: string) => {
        await panel.getByRole('textbox', { name: '您的消息' }).fill(text)
        await panel.getByRole('button', { name: '发送' }).tap()
      }
      await page.locator('.chat-launcher').tap()
      await send('你好')
      await expect(panel.getByText('已发送')).toBeVisible()
      const clientId = await visitor.clientId()
      await product.callAsAdmin('POST', `/chat/admin/${clientId}/block`, { hours: 1 })
      await send('还在吗？')
      await expect(panel.getByText(BLOCKED)).toBeVisible()
      expect(await violations(page)).toEqual([])

      await panel.getByRole('button', { name: '更多' }).tap()
      await panel.getByRole('button', { name: '告诉我们您的考试情况' }).tap()
      const dialog = page.getByRole('dialog', { name: '告诉我们您的考试情况' })
      await dialog.getByLabel('姓名').fill('Eve')
      await dialog.getByRole('button', { name: '保存' }).tap()
      await expect(dialog.getByRole('alert')).toHaveText(BLOCKED)
      expect(await violations(page)).toEqual([])
      expect(await product.known(clientId)).toMatchObject({ name: null })
      await visitor.leave()
    })
  })
}

test('files that wait for the network can be read', async ({ visitor, product }) => {
  await product.configure({ files: true })
  await visitor.page.reload()
  const clip = visitor.panel.getByRole('button', { name: 'Attach a file' })
  // Its middle is the middle of the box beside it.
  const middle = async (selector: string) => {
    const { y = Number.NaN, height = Number.NaN } =
      (await visitor.panel.locator(selector).boundingBox()) ?? {}
    return y + height / 2
  }
  await expect(clip).toBeVisible()
  await expect
    .poll(async () => Math.abs((await middle('.chat-attach .icon')) - (await middle('.chat-input'))))
    .toBeLessThan(1)

  const chooser = visitor.page.waitForEvent('filechooser')
  await clip.click()
  await (await chooser).setFiles([
    { name: 'webcam.png', mimeType: 'image/png', buffer: await picture(400, 300) },
    { name: 'ticket.pdf', mimeType: 'application/pdf', buffer: PDF },
  ])
  await expect(visitor.panel.getByRole('listitem').filter({ hasText: 'ticket.pdf' })).toBeVisible()
  await visitor.page.context().setOffline(true)
  await visitor.type('My ticket')
  await expect(visitor.panel.getByText("You're offline.")).toBeVisible()
  await expect(visitor.log.getByRole('button', { name: 'ticket.pdf' })).toBeVisible()
  expect(await violations(visitor.page)).toEqual([])
  await visitor.page.context().setOffline(false)
  await visitor.expectSent('My ticket')
})
