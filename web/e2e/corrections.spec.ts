import { expect, someClientId, test } from './test.ts'

for (const transport of ['push', 'polling'] as const) {
  test.describe(`by ${transport}`, () => {
    test.use({ env: { CHAT_TRANSPORT: transport } })

    test('an admin corrects the last message, and the visitor sees that', async ({ admin, visitor }) => {
      await visitor.send('When is my exam?')
      const { page } = admin
      await admin.goto(`/dashboard/messages/${await visitor.clientId()}`)
      await admin.send('On Tuseday')
      await expect(visitor.message('On Tuseday')).toBeVisible()

      await admin.box.press('ArrowUp')
      const box = page.getByRole('textbox', { name: 'Edit message' })
      await expect(box).toBeFocused()
      await expect(box).toHaveValue('On Tuseday')
      await box.press('Escape')
      await expect(admin.box).toBeFocused()
      await page.getByRole('button', { name: 'Edit last message' }).click()
      await box.fill('On **Tuesday**')
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(admin.box).toBeFocused()
      await expect(admin.log.getByText('Before: “On Tuseday”')).toBeVisible()
      await expect(visitor.log.getByText('edited')).toBeVisible()
      await expect(visitor.message('Tuesday')).toBeVisible()
      await expect(visitor.message('On Tuseday')).toHaveCount(0)

      // Once anyone has written, it stays.
      await visitor.send('Thanks')
      await expect(admin.message('Thanks')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Edit last message' })).toBeHidden()
      await admin.box.press('ArrowUp')
      await expect(box).toBeHidden()
    })
  })
}

test('a correction is offered in the command menu, and the list shows its words', async ({
  admin,
  product,
}) => {
  const clientId = someClientId()
  await product.post(clientId, 'When is my exam?')
  const { page } = admin
  await admin.goto(`/dashboard/messages/${clientId}`)
  await admin.send('On Tuseday')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Find a command' })).toBeFocused()
  await page.keyboard.type('edit last')
  await page.keyboard.press('Enter')
  const box = page.getByRole('textbox', { name: 'Edit message' })
  await expect(box).toBeFocused()
  await box.fill('On Tuesday')
  await box.press('Enter')
  await expect(admin.message('On Tuesday')).toBeVisible()
  await admin.goto('/dashboard/chats')
  await expect(page.getByText('On Tuesday')).toBeVisible()
})
