import type { Page } from '@playwright/test'
import { editor, fillIn, photograph, publish, save } from './editor.ts'
import { Admin } from './people.ts'
import { expect, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const PRICES =
  '<p>Prices</p><table><thead><tr><th scope="col">Exam</th><th class="ql-align-right" scope="col">Price</th></tr></thead>' +
  '<tbody><tr><th scope="row">Algebra</th><td>1,500</td></tr><tr><td colspan="2">and <strong>more</strong></td></tr></tbody></table>'

/** Pastes at the caret. */
async function paste(page: Page, html: string, text = ''): Promise<void> {
  await editor(page).evaluate(
    (root, [pasted = '', plain = '']) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', pasted)
      if (plain !== '') clipboardData.setData('text/plain', plain)
      root.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    [html, text],
  )
}

async function stored(page: Page, slug: string): Promise<string> {
  const answer = await page.request.get(new URL(`/api/blogs/one/${slug}`, page.url()).href)
  return ((await answer.json()) as { content: string }).content
}

async function saved(page: Page, slug: string): Promise<string> {
  await save(page)
  return stored(page, slug)
}

test('a table stays whole when a post is edited, and its rows and columns change', async ({
  browser,
  product,
}) => {
  const kept = '<blockquote><h3>Kept</h3></blockquote>'
  const content = `${PRICES}\n${kept}<p>The end</p>`
  await product.createPost({ imgAlt: 'A logo', title: 'Prices', summary: 'Prices', slug: 'prices', content })
  const admin = await Admin.signIn(browser, product, '/dashboard/edit/prices')
  const { page } = admin
  await expect(editor(page).locator('table th')).toHaveCount(3)

  await page.getByLabel('Title').fill('All prices')
  expect(await saved(page, 'prices')).toBe(content)

  await editor(page).press('Control+End')
  await page.keyboard.type('.')
  expect(await saved(page, 'prices')).toBe(content.replace('The end', 'The end.'))

  await editor(page).getByText('1,500').click()
  await page.keyboard.press('End')
  await page.keyboard.type(' USD')
  await page.keyboard.press('Enter')
  await page.keyboard.type('net')
  const tools = page.getByRole('toolbar', { name: 'Table' })
  await tools.getByRole('button', { name: 'Row below' }).click()
  await page.keyboard.type('New')
  await page.keyboard.press('ArrowRight')
  await tools.getByRole('button', { name: 'Column right' }).click()
  await page.keyboard.type('here')
  await expect(editor(page).locator('tr')).toHaveCount(4)
  expect(await saved(page, 'prices')).toBe(
    '<p>Prices</p><table><thead><tr><th scope="col">Exam</th><th class="ql-align-right" scope="col">Price</th>' +
      '<th scope="col"></th></tr></thead>' +
      '<tbody><tr><th scope="row">Algebra</th><td>1,500 USD<br />net</td><td></td></tr>' +
      '<tr><th scope="row">New</th><td></td><td>here</td></tr>' +
      '<tr><td colspan="2">and <strong>more</strong></td><td></td></tr></tbody></table>' +
      `${kept}<p>The end.</p>`,
  )

  // Each step can be undone.
  for (let step = 0; step < 3; step++) await tools.getByRole('button', { name: 'Delete column' }).click()
  await expect(editor(page).locator('table')).toHaveCount(0)
  await editor(page).press('Control+z')
  await expect(editor(page).locator('table')).toHaveCount(1)
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

test('no key takes a table apart', async ({ browser, product }) => {
  await product.createPost({
    imgAlt: 'A logo',
    title: 'Prices',
    summary: 'Prices',
    slug: 'prices',
    content: `${PRICES}<p>End</p>`,
  })
  const admin = await Admin.signIn(browser, product, '/dashboard/edit/prices')
  const { page } = admin
  const cells = editor(page).locator('td, th')
  await expect(cells).toHaveCount(5)
  await editor(page).getByText('1,500').click()
  for (const key of ['Home', 'Backspace', 'Control+Backspace', 'End', 'Delete', 'Control+Delete']) {
    await page.keyboard.press(key)
  }
  await expect(cells).toHaveText(['Exam', 'Price', 'Algebra', '1,500', 'and more'])
  await editor(page).getByText('End').click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('!')
  await expect(cells.last()).toHaveText('and more!')

  // From the middle of one cell into another, and over the end of the table.
  const select = (from: string, to: string) =>
    editor(page).evaluate(
      (root, [first = '', last = '']) => {
        const find = (text: string) => {
          const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
          while (walker.nextNode())
            if (walker.currentNode.textContent?.includes(text)) return walker.currentNode
          throw new Error(`No ${text}`)
        }
        getSelection()?.setBaseAndExtent(find(first), 1, find(last), 1)
      },
      [from, to],
    )
  await select('Exam', '1,500')
  await page.keyboard.type('x')
  await expect(cells).toHaveText(['Ex', '', '', ',500', 'and more!'])
  await select('500', 'End')
  await page.keyboard.press('Delete')
  await expect(cells).toHaveText(['Ex', '', '', ',', ''])
  await expect(editor(page).locator('table + p')).toHaveText('nd')
  await editor(page).press('Control+a')
  await page.keyboard.press('Delete')
  await expect(editor(page)).toHaveText('')
  await expect(cells).toHaveCount(0)
  await editor(page).press('Control+z')
  await expect(cells).toHaveCount(5)
  await admin.leave()
})

test('a table is inserted, and pasted ones keep rows, headers and spans', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Tables')
  await editor(page).press('Control+End')
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page.keyboard.type('First')
  await expect(editor(page).locator('table th')).toHaveCount(3)
  await expect(editor(page).locator('table th').first()).toHaveText('First')
  await editor(page).press('Control+End')
  await page.keyboard.type('Behind ')
  await paste(
    page,
    '<table border=1><caption>Fees</caption><thead><tr><th>A</th><th>B</th></tr></thead>' +
      '<tr><td><p>one</p><p>two</p></td><td rowspan="2" style="text-align:right">3</td></tr>' +
      '<tr><td><ul><li>x</li><li>y</li></ul></td></tr></table>',
  )
  await publish(page)
  const content = await stored(page, 'tables')
  expect(content).toContain(
    '<p>Behind Fees</p><table><thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>' +
      '<tbody><tr><td>one<br />two</td><td class="ql-align-right" rowspan="2">3</td></tr>' +
      '<tr><td>x<br />y</td></tr></tbody></table>',
  )
  await page.goto(product.url('/blog/tables'))
  await expect(page.getByRole('columnheader', { name: 'First' })).toBeVisible()
  await expect(page.locator('.prose .table table')).toHaveCount(2)
  await admin.leave()
})

test('pasted pictures stand in their places with their words, and others leave a mark', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Pasted')
  await editor(page).press('Control+a')
  const jpeg = (await photograph()).toString('base64')
  const other = (await photograph('#aa2211')).toString('base64')
  await paste(
    page,
    `<p>one <img src="data:image/jpeg;base64,${jpeg}" alt="a shot"> two <img src="data:image/jpeg;base64,${other}" alt="red"> three</p>` +
      '<p><img src="https://other.example/a.png" alt="a chart"> four</p><p><img src="file:///C:/a.png"></p>' +
      `<p>five <img src="data:image/png;base64,${Buffer.from('no picture').toString('base64')}" alt="broken"></p>` +
      '<iframe src="https://maps.example/x"></iframe>',
  )
  await expect(page.getByText(/Uploading|Preparing/)).toHaveCount(0)
  const line = editor(page).locator('p').first()
  await expect(line.locator('img')).toHaveCount(2)
  expect(
    await line.evaluate((p) =>
      [...p.childNodes].map((node) => (node instanceof HTMLImageElement ? node.alt : node.textContent)),
    ),
  ).toEqual(['one ', 'a shot', ' two ', 'red', ' three'])
  const marks = editor(page).locator('.ql-left-out')
  await expect(marks).toHaveCount(4)
  await expect(marks.nth(0)).toContainText('A picture from another site was left out: a chart')
  await expect(marks.nth(1)).toContainText('A picture from a file on your computer was left out')
  await expect(marks.nth(2)).toContainText(/A picture was left out: .*image/)
  await expect(page.getByRole('status').filter({ hasText: 'left out' })).toHaveText(
    'An embedded item, a picture from another site, and a picture from a file on your computer were left out. ' +
      'Save each picture as a file, and insert it with Image.',
  )
  await publish(page)
  const content = await stored(page, 'pasted')
  expect(content).toMatch(
    /^<p>one <img src="\/uploads\/[^"]+" width="1600" height="1000" alt="a shot"[^>]*> two <img [^>]*alt="red"[^>]*> three<\/p><p> ?four<\/p><p>five ?<\/p>$/,
  )
  await admin.leave()
})

test('code that is pasted from an editor keeps its indentation', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Code')
  await editor(page).press('Control+a')
  await paste(
    page,
    '<meta charset="utf-8"><div style="color:#d4d4d4;font-family: Menlo, \'Courier New\', monospace;white-space: pre;">' +
      '<div>def f(x):</div><div><span style="color:#c586c0">    if</span> x:</div><br><div>\treturn <span>&lt;1&gt;</span></div></div>',
  )
  const code = 'def f(x):\n    if x:\n\n\treturn <1>'
  await publish(page)
  await page.goto(product.url('/blog/code'))
  await expect(page.locator('.prose pre')).toHaveText(code, { useInnerText: true })
  await admin.leave()
})

test('a video keeps where it starts, and the key of an unlisted one', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await page.route(/youtube|vimeo/, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await fillIn(page, 'Videos')
  for (const [address, player] of [
    ['https://youtu.be/dQw4w9WgXcQ?t=1m30s', 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=90'],
    [
      'https://vimeo.com/123456789/abc123def4#t=2m',
      'https://player.vimeo.com/video/123456789?h=abc123def4#t=120s',
    ],
  ] as const) {
    await editor(page).press('Control+End')
    await page.getByRole('button', { name: 'Video', exact: true }).click()
    await page.getByLabel('Address').fill(address)
    await page.getByRole('button', { name: 'Insert' }).click()
    await expect(editor(page).locator(`iframe[src="${player}"]`)).toHaveCount(1)
  }
  await publish(page)
  await page.goto(product.url('/blog/videos'))
  await expect(page.locator('.prose iframe').last()).toHaveAttribute('src', /\?h=abc123def4#t=120s$/)
  await admin.leave()
})

test('a kept block is moved and deleted by its buttons', async ({ browser, product }) => {
  const kept = '<blockquote><h3>Kept</h3></blockquote>'
  await product.createPost({
    imgAlt: 'A logo',
    title: 'Kept',
    summary: 'Kept',
    slug: 'kept',
    content: `<p>one</p>${kept}<ul><li>two</li><li>three</li></ul>`,
  })
  const admin = await Admin.signIn(browser, product, '/dashboard/edit/kept')
  const { page } = admin
  const block = page.getByRole('group', { name: 'Kept block' })
  await expect(block).toContainText('Kept')
  await block.getByRole('button', { name: 'Move down' }).click()
  await expect(block.getByRole('button', { name: 'Move down' })).toBeFocused()
  expect(await saved(page, 'kept')).toBe(`<p>one</p><ul><li>two</li><li>three</li></ul>${kept}`)
  await block.getByRole('button', { name: 'Move up' }).click()
  await block.getByRole('button', { name: 'Move up' }).click()
  expect(await saved(page, 'kept')).toBe(`${kept}<p>one</p><ul><li>two</li><li>three</li></ul>`)
  await block.getByRole('button', { name: 'Delete' }).click()
  expect(await saved(page, 'kept')).toBe('<p>one</p><ul><li>two</li><li>three</li></ul>')
  await admin.leave()
})

test('what the editor copies is pasted as it was', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await product.createPost({
    imgAlt: 'A logo',
    title: 'Copied',
    summary: 'Copied',
    slug: 'copied',
    content: `${PRICES}<pre>\n  a\n    b\n</pre>`,
  })
  await page.goto(product.url('/dashboard/edit/copied'))
  await editor(page).press('Control+a')
  await page.keyboard.press('Control+c')
  await page.goto(product.url('/dashboard/add-blog'))
  await fillIn(page, 'Again')
  await editor(page).press('Control+a')
  await page.keyboard.press('Control+v')
  await expect(editor(page).locator('table')).toHaveCount(1)
  await publish(page)
  // What was selected and replaced leaves its line.
  expect(await stored(page, 'again')).toBe(`${await stored(page, 'copied')}<p></p>`)
  await admin.leave()
})
