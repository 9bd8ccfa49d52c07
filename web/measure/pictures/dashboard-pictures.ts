import type { Page } from '@playwright/test'
import type { ContactList } from '@proctorpass/shared/schemas/contact'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { ourError } from '../../e2e/our-answer.ts'
import { OPENED } from '../sample-conversations.ts'
import type { Picture, Scene } from './studio.ts'

const INBOX = '/dashboard/chats'
const CONVERSATION = `/dashboard/messages/${OPENED.clientId}`

const SETTINGS: Partial<Settings> = {
  hours: {
    timeZone: 'America/New_York',
    closed: ['2030-12-25'],
    spans: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '18:00' })),
  },
  away: { en: 'If your exam runs now, please call your proctor first.', zh: '' },
  quickReplies: { en: ['What does it cost?', 'Can I reschedule?'], zh: [] },
  preChat: { name: 'optional', email: 'optional', examAt: 'off' },
  rating: true,
  retentionDays: 365,
}

/** Presses a button of the page's main part. */
const press =
  (name: string | RegExp, which: 'first' | 'last' = 'first'): Picture['pose'] =>
  async ({ page }) => {
    await page.getByRole('main').getByRole('button', { name })[which]().click()
  }

/** Presses a command of the open conversation, which may stand in the menu. */
function command(name: string): Picture['pose'] {
  return async ({ page }) => {
    const more = page.getByRole('button', { name: 'More about this conversation' })
    await more.waitFor()
    const button = page.getByRole('main').getByRole('button', { name, exact: true })
    if (!(await button.first().isVisible())) await more.click()
    const inMenu = page.getByRole('dialog').getByRole('button', { name, exact: true })
    await button.or(inMenu).first().click()
    await page.getByRole('dialog', { name: nameOfMenu(name) }).waitFor()
  }
}

const nameOfMenu = (name: string) => (name === 'Visitor' ? /Visitor/ : new RegExp(name))

async function chooseRows({ page }: Scene): Promise<void> {
  const boxes = page.getByRole('main').getByRole('row').getByRole('checkbox')
  const select = page.getByRole('button', { name: 'Select', exact: true })
  if (await select.isVisible()) await select.click()
  for (const index of [1, 2, 4]) await boxes.nth(index).check()
}

const pressKeys = (keys: string, name: string | RegExp) => async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press(keys)
  await page.getByRole('dialog', { name }).waitFor()
}

const firstContact: Picture['path'] = async (product) => {
  const { contacts } = await product.callAsAdmin<ContactList>('GET', '/contacts')
  return `/dashboard/contacts?contact=${contacts[0]?._id}`
}

export const DASHBOARD_PICTURES: readonly Picture[] = [
  { name: 'inbox', path: INBOX },
  { name: 'inbox-chosen', path: INBOX, pose: chooseRows },
  {
    name: 'inbox-filters',
    path: `${INBOX}?label=Refund`,
    async pose({ page }) {
      const filters = page.getByRole('button', { name: /^Filters/, expanded: false })
      if (await filters.isVisible()) await filters.click()
    },
  },
  { name: 'inbox-nothing', path: `${INBOX}?tab=mine&label=Refund` },
  { name: 'inbox-empty', path: INBOX, isEmpty: true },
  { name: 'conversation', path: CONVERSATION },
  {
    name: 'conversation-note',
    path: CONVERSATION,
    async pose({ page }) {
      await page.getByRole('button', { name: 'Note', exact: true }).click()
      await page.keyboard.type('@maria can you call her at two?')
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'conversation-ways',
    path: CONVERSATION,
    pose: press('More ways to send'),
  },
  { name: 'conversation-snooze', path: CONVERSATION, pose: command('Snooze') },
  { name: 'conversation-assign', path: CONVERSATION, pose: command('Assign') },
  { name: 'conversation-labels', path: CONVERSATION, pose: command('Labels') },
  { name: 'conversation-block', path: CONVERSATION, pose: command('Block') },
  {
    name: 'conversation-more',
    path: CONVERSATION,
    async pose({ page }) {
      await page.getByRole('button', { name: 'More about this conversation' }).click()
    },
  },
  { name: 'conversation-erase', path: CONVERSATION, pose: eraseQuestion },
  { name: 'conversation-visitor', path: CONVERSATION, only: 'phone', pose: command('Visitor') },
  {
    name: 'conversation-replies',
    path: CONVERSATION,
    async pose({ page }) {
      await page.getByRole('log').getByText('stays black').waitFor()
      await page.getByRole('textbox', { name: 'Your message' }).fill('/')
      await page.getByRole('option').first().waitFor()
    },
  },
  { name: 'search', path: '/dashboard/search?q=camera' },
  { name: 'search-nothing', path: '/dashboard/search?q=zeppelin' },
  {
    name: 'commands',
    path: CONVERSATION,
    async pose({ page }) {
      await pressKeys('ControlOrMeta+k', /Commands/)(page)
      await page.keyboard.type('re')
    },
  },
  { name: 'shortcuts', path: INBOX, pose: ({ page }) => pressKeys('?', 'Keyboard shortcuts')(page) },
  {
    name: 'notifications',
    path: INBOX,
    async pose({ page }) {
      await page
        .getByRole('button', { name: /^Notifications/ })
        .first()
        .click()
    },
  },
  { name: 'reports', path: '/dashboard/reports' },
  { name: 'reports-whole', path: '/dashboard/reports', isWhole: true },
  { name: 'contacts', path: '/dashboard/contacts' },
  { name: 'contacts-opened', path: firstContact, as: 'admin' },
  { name: 'contacts-empty', path: '/dashboard/contacts', isEmpty: true },
  { name: 'replies', path: '/dashboard/replies' },
  {
    name: 'replies-add',
    path: '/dashboard/replies',
    pose: press(/^Add/),
  },
  { name: 'add-blog', path: '/dashboard/add-blog', isWhole: true },
  {
    name: 'edit-blog-to-draft',
    path: '/dashboard/edit/a-quiet-room-in-a-loud-house',
    pose: press('Back to draft'),
  },
  { name: 'edit-blog', path: '/dashboard/edit/a-quiet-room-in-a-loud-house' },
  { name: 'edit-blog-whole', path: '/dashboard/edit/a-quiet-room-in-a-loud-house', isWhole: true },
  { name: 'my-blogs', path: '/dashboard/my-blogs' },
  {
    name: 'my-blogs-delete',
    path: '/dashboard/my-blogs',
    pose: press(/^Delete /),
  },
  { name: 'add-review', path: '/dashboard/add-review' },
  { name: 'my-reviews', path: '/dashboard/my-reviews' },
  {
    name: 'my-reviews-edit',
    path: '/dashboard/my-reviews',
    pose: press(/^Edit /, 'last'),
  },
  { name: 'sites', path: '/dashboard/sites', isWhole: true },
  {
    name: 'sites-edit',
    path: '/dashboard/sites',
    pose: press('Edit Example Tutors'),
  },
  { name: 'sites-empty', path: '/dashboard/sites', isEmpty: true },
  { name: 'team', path: '/dashboard/team' },
  {
    name: 'team-invite',
    path: '/dashboard/team',
    pose: press(/invite/i),
  },
  { name: 'settings', path: '/dashboard/settings', settings: SETTINGS },
  { name: 'settings-whole', path: '/dashboard/settings', settings: SETTINGS, isWhole: true },
  {
    name: 'settings-unsaved',
    path: '/dashboard/settings',
    async pose({ page }) {
      await page.getByLabel('Greeting in English').fill('Hi!')
    },
  },
  { name: 'integrations', path: '/dashboard/integrations', isWhole: true },
  { name: 'audit', path: '/dashboard/audit' },
  { name: 'account', path: '/dashboard/account', isWhole: true },
  {
    name: 'menu',
    path: INBOX,
    only: 'phone',
    async pose({ page }) {
      await page.getByRole('button', { name: 'Menu' }).click()
    },
  },
  {
    name: 'menu-collapsed',
    path: INBOX,
    only: 'desktop',
    async pose({ page }) {
      await page.getByRole('button', { name: 'Collapse menu' }).click()
    },
  },
  {
    name: 'toast',
    path: INBOX,
    async pose({ page }) {
      await page.keyboard.press('ControlOrMeta+z')
      await page.getByText('Nothing to undo').waitFor()
    },
  },
  {
    name: 'toast-undo',
    path: CONVERSATION,
    async pose({ page }) {
      await page.getByRole('button', { name: 'Resolve', exact: true }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
    },
    tidy: (product) => product.callAsAdmin('PATCH', `/chat/admin/${OPENED.clientId}`, { status: 'open' }),
  },
  {
    name: 'dashboard-error',
    path: '/dashboard',
    async pose({ page }) {
      await page.route('**/api/contacts**', (route, request) =>
        route.fulfill(
          ourError(request, 503, { message: 'The database is unavailable.', code: 'unavailable' }),
        ),
      )
      await page.evaluate(() => history.pushState(null, '', '/dashboard/contacts'))
      await page.reload()
      await page
        .getByRole('button', { name: /try again/i })
        .first()
        .waitFor()
    },
  },
  {
    name: 'dashboard-offline',
    path: CONVERSATION,
    async pose({ page }) {
      await page.getByRole('log').getByText('stays black').waitFor()
      await page.context().setOffline(true)
      await page.waitForTimeout(3_000)
    },
  },
  { name: 'dashboard-not-found', path: '/dashboard/nothing-is-here' },
]

async function eraseQuestion({ page }: Scene): Promise<void> {
  await page.getByRole('button', { name: 'More about this conversation' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Erase conversation' }).click()
  await page.getByRole('dialog', { name: 'Erase this conversation?' }).waitFor()
}
