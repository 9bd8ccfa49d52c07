import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import type { Admin, Visitor } from './people.ts'
import { PDF, picture } from './pictures.ts'
import type { Product } from './product.ts'

/** A state of the open chat. */
export interface WidgetState {
  name: string
  settings?: Partial<Settings>
  /** Brings the chat into the state, in English. */
  pose?: (visitor: Visitor, product: Product) => Promise<void>
  /** Brings it there again in another language, which some states need. */
  again?: (visitor: Visitor, admin: Admin) => Promise<void>
  /** Whether an admin has the conversation open. */
  isStaffed?: boolean
}

const LANGUAGES = new URL('../../shared/languages/', import.meta.url)
/** All languages that are shipped. */
export const TAGS = readdirSync(LANGUAGES).map((file) => file.replace('.json', ''))

const SENTENCE = 'Is an external webcam allowed, or do I need one that is built in?'

/** Opening hours of one hour, two to three days from now. */
function laterHours(): Settings['hours'] {
  const day = new Date(Date.now() + 3 * 86_400_000).getUTCDay() || 7
  return { timeZone: 'America/New_York', closed: [], spans: [{ day, from: '09:00', to: '10:00' }] }
}

async function chooseFiles({ page }: Visitor): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.locator('.chat-attach').click()
  const files = [
    { name: 'my-room.png', mimeType: 'image/png', buffer: await picture(640, 420) },
    { name: 'confirmation-of-the-appointment.pdf', mimeType: 'application/pdf', buffer: PDF },
  ]
  await (await chooser).setFiles(files)
  await expect(page.locator('.file-tray-list li')).toHaveCount(2)
  await expect(page.locator('.file-tray-list')).toHaveAttribute('aria-busy', 'false')
}

const refused = ({ page }: Visitor) => page.locator('[data-waiting="refused"]')
const openMenu = ({ page }: Visitor) => page.locator('.chat-actions button').first().click()

export const WIDGET_STATES: readonly WidgetState[] = [
  {
    name: 'greeting',
    settings: { quickReplies: { en: ['What does it cost?', 'Can I reschedule?'], zh: [] } },
    async pose({ page }) {
      await expect(page.locator('.chat-quick-replies button')).toHaveCount(2)
      await page.locator('.chat-greeting summary').click()
    },
  },
  {
    name: 'conversation',
    settings: { files: true },
    async pose(visitor, product) {
      await visitor.send(SENTENCE)
      const clientId = await visitor.clientId()
      await product.reply(clientId, `${SENTENCE} `.repeat(40))
      await product.callAsAdmin('PATCH', `/chat/admin/${clientId}/messages/2`, {
        message: `${SENTENCE} `.repeat(41),
        nonce: 'a-correction-of-the-second',
      })
      await expect(visitor.log.getByText('edited')).toBeVisible()
      await chooseFiles(visitor)
      await visitor.type('This is my room.')
      await expect(visitor.log.locator('.file-image img')).toBeVisible()
      await expect(visitor.log.locator('[data-waiting]')).toHaveCount(0)
      // A file that cannot be read says so.
      await visitor.page.route('**/files/*', (route) => route.abort())
      await visitor.log.locator('.file-row').click()
      await expect(visitor.log.locator('.file-again')).toBeVisible()
    },
    async again(visitor, admin) {
      await admin.box.press('a')
      await expect(visitor.page.locator('.chat-typing')).not.toBeEmpty()
    },
    isStaffed: true,
  },
  {
    name: 'refused',
    settings: { files: true },
    async pose(visitor, product) {
      await visitor.send('hello')
      await product.callAsAdmin('POST', `/chat/admin/${await visitor.clientId()}/block`, { hours: 1 })
      await chooseFiles(visitor)
      await visitor.type('Are you still there?')
      await expect(refused(visitor)).toHaveCount(1)
    },
    async again(visitor) {
      await visitor.page.locator('.chat-stopped button').first().click()
      await expect(refused(visitor)).toHaveCount(1)
    },
  },
  {
    name: 'offline',
    async pose(visitor) {
      const { page } = visitor
      await visitor.send('hello')
      await page.route('**/words/*', (route) => {
        const [file = ''] = /\w[\w-]*\.json/.exec(route.request().url()) ?? []
        return route.fulfill({ path: fileURLToPath(new URL(file, LANGUAGES)) })
      })
      await page.context().setOffline(true)
      await visitor.type('Are you still there?')
      await expect(page.locator('.chat-trouble')).toBeVisible()
    },
  },
  {
    name: 'away',
    settings: {
      hours: laterHours(),
      away: { en: 'If your exam runs now, please call your proctor first.', zh: '' },
    },
    async pose(visitor) {
      await visitor.send(SENTENCE)
      await expect(visitor.page.locator('.chat-mail-form')).toBeVisible()
    },
    again: ({ page }) => page.locator('.chat-mail-form .button').click(),
  },
  {
    name: 'rating',
    settings: { rating: true },
    async pose(visitor, product) {
      await visitor.send(SENTENCE)
      const clientId = await visitor.clientId()
      await product.reply(clientId, 'Yes, it is.')
      await product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, { status: 'resolved' })
      await expect(visitor.page.locator('.chat-rating')).toBeVisible()
    },
    // The button can be pressed, although it is said to be disabled.
    again: ({ page }) => page.locator('.chat-rating .button').click({ force: true }),
  },
  {
    name: 'questions',
    settings: { preChat: { name: 'required', email: 'required', examAt: 'required' } },
    pose: ({ page }) => expect(page.locator('.chat-form')).toBeVisible(),
    async again({ page }) {
      await page.locator('.chat-input').fill('hello')
      await page.locator('.chat-send').click()
      await expect(page.locator('.chat-form .field-error')).toHaveCount(3)
      await page.locator('.chat-input').fill('')
    },
  },
  {
    name: 'menu',
    async pose(visitor) {
      await visitor.send('hello')
    },
    again: openMenu,
  },
  {
    name: 'details',
    async again(visitor) {
      const { page } = visitor
      await openMenu(visitor)
      await page.locator('.chat-menu button').first().click()
      await page.locator('dialog [name="name"]').fill('https://example.com')
      await page.locator('dialog [name="email"]').fill('sam@')
      await page.locator('dialog [type="submit"]').click()
      await expect(page.locator('dialog .field-error[id]')).toHaveCount(2)
    },
  },
  {
    name: 'erase',
    pose: (visitor) => visitor.send('hello'),
    async again(visitor) {
      await openMenu(visitor)
      await visitor.page.locator('.chat-menu .chat-erase').click()
    },
  },
  {
    name: 'files',
    settings: { files: true, filesNotice: { en: 'Send no exam content.', zh: '' } },
    async pose(visitor) {
      const { page } = visitor
      // The upload gets no answer.
      await page.route('**/files', () => {})
      await page.locator('.chat-attach').click()
      let chooser = page.waitForEvent('filechooser')
      await page.locator('.file-notice button').first().click()
      await (await chooser).setFiles({ name: 'list.pdf', mimeType: 'application/pdf', buffer: PDF })
      await expect(page.locator('.file-tray-list li')).toHaveCount(1)
      await visitor.type('This is my list.')
      await expect(page.locator('.upload-state')).toBeVisible()
      chooser = page.waitForEvent('filechooser')
      await page.locator('.chat-attach').click()
      const text = { mimeType: 'text/plain', buffer: Buffer.from('x') }
      await (await chooser).setFiles([
        { name: 'list.txt', ...text },
        { name: 'room.heic', ...text },
      ])
      await expect(page.locator('.file-tray-problem')).not.toBeEmpty()
    },
  },
]

/** Chooses a language in the menu. */
export async function speak(page: Page, tag: string): Promise<void> {
  await page.evaluate(async (tag) => {
    document.documentElement.style.fontSize = ''
    const find = <E extends Element>(selector: string) => document.querySelector<E>(selector)
    const until = async <T>(look: () => T | null | false): Promise<T> => {
      for (;;) {
        const found = look()
        if (found) return found
        await new Promise(requestAnimationFrame)
      }
    }
    // On a small screen, what was closed takes its entry out of the history.
    const isAlone = () => history.state?.chatSheet === 1
    if (!find('.chat-menu')) {
      await until(isAlone)
      find<HTMLElement>('.chat-actions button')?.click()
    }
    const select = await until(() => find<HTMLSelectElement>('.chat-language select'))
    select.value = tag
    select.dispatchEvent(new Event('change', { bubbles: true }))
    await until(() => find<HTMLElement>('.chat-panel')?.lang === tag)
    find<HTMLElement>('.chat-actions button')?.click()
    await until(isAlone)
  }, tag)
}
