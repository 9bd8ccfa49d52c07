import { expect, test } from './test.ts'

test('an admin formats by keys and by marks, and the visitor sees it', async ({
  visitor,
  admin,
  product,
}) => {
  await visitor.send('**what** must I _bring_?')
  const clientId = await visitor.clientId()
  await admin.view(clientId)
  const { keyboard } = admin.page
  await admin.box.fill('Bring')
  await keyboard.press('ControlOrMeta+a')
  await keyboard.press('ControlOrMeta+b')
  await expect(admin.box).toHaveValue('**Bring**')
  await keyboard.press('End')
  await keyboard.type(' our list')
  for (let letter = 0; letter < 4; letter += 1) await keyboard.press('Shift+ArrowLeft')
  await keyboard.press('ControlOrMeta+k')
  await expect(admin.page.getByRole('dialog')).toHaveCount(0)
  await keyboard.type('https://exam.example/list')
  await keyboard.press('End')
  for (const line of ['- your _ID_', '- `one` pen']) {
    await keyboard.press('Shift+Enter')
    await keyboard.type(line)
  }
  const typed = '**Bring** our [list](https://exam.example/list)\n- your _ID_\n- `one` pen'
  await expect(admin.box).toHaveValue(typed)
  await keyboard.press('Enter')

  for (const { log } of [visitor, admin]) {
    await expect(log.locator('strong')).toHaveText(['Bring'])
    await expect(log.locator('.chat-text li')).toHaveText(['your ID', 'one pen'])
    await expect(log.locator('.chat-text li em')).toHaveText('ID')
    await expect(log.locator('.chat-text code')).toHaveText('one')
    const link = log.getByRole('link', { name: 'list' })
    await expect(link).toHaveAttribute('href', 'https://exam.example/list')
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer nofollow ugc')
    // A visitor's marks stay as they are.
    await expect(log.getByText('**what** must I _bring_?')).toBeVisible()
  }
  const { messages } = await product.callAsAdmin<{ messages: { message: string }[] }>(
    'GET',
    `/chat/${clientId}`,
  )
  expect(messages.at(-1)?.message).toBe(typed)

  await admin.page.goto(new URL('/dashboard/chats', admin.page.url()).href)
  await expect(admin.page.getByText('Bring our list your ID one pen')).toBeVisible()
})

test('K without a selection opens the command menu, which offers the formats', async ({ visitor, admin }) => {
  await visitor.send('hello')
  await admin.view(await visitor.clientId())
  await admin.box.fill('words')
  await admin.page.keyboard.press('ControlOrMeta+k')
  const menu = admin.page.getByRole('dialog', { name: 'Commands' })
  await menu.getByRole('combobox').fill('bold')
  await admin.page.keyboard.press('Enter')
  await expect(admin.box).toHaveValue('words****')
  await admin.page.keyboard.type('!')
  await expect(admin.box).toHaveValue('words**!**')
  await admin.page.keyboard.press('Escape')
  await admin.page.keyboard.press('?')
  const list = admin.page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const label of ['Bold', 'Italic', 'Link the selected words']) {
    await expect(list.getByText(label, { exact: true })).toBeVisible()
  }
})
