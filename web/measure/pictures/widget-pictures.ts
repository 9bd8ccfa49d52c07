import type { Localized, Settings } from '@proctorpass/shared/schemas/settings'
import { Visitor } from '../../e2e/people.ts'
import { picture } from '../../e2e/pictures.ts'
import { leaveSite, openOnSite } from './other-website.ts'
import type { Picture, Scene } from './studio.ts'

const ENGLISH = (en: string): Localized => ({ en, zh: '' })

/** Opening hours of one hour, two to three days from now. */
function laterHours(): Settings['hours'] {
  const day = new Date(Date.now() + 3 * 86_400_000).getUTCDay() || 7
  return { timeZone: 'America/New_York', closed: [], spans: [{ day, from: '09:00', to: '10:00' }] }
}

async function openChat({ page, product }: Scene): Promise<Visitor> {
  const visitor = new Visitor(page, product)
  await visitor.openChat()
  return visitor
}

async function converse(scene: Scene): Promise<Visitor> {
  const { product } = scene
  const visitor = await openChat(scene)
  await visitor.send('Hi, my exam is on Thursday at 9.')
  await visitor.send('Is an external webcam allowed?')
  const clientId = await visitor.clientId()
  await product.reply(clientId, 'Hi! Yes, it is, as long as you can move it for the room scan.')
  await product.reply(clientId, 'Which exam do you take?')
  await visitor.message('Which exam do you take?').waitFor()
  return visitor
}

export const WIDGET_PICTURES: readonly Picture[] = [
  {
    name: 'widget-card',
    path: '/',
    isStaffed: true,
    isFirstVisit: true,
    pose: ({ page, product }) => new Visitor(page, product).chatShown(),
  },
  { name: 'widget-open', path: '/', isStaffed: true, pose: openChat },
  {
    name: 'widget-greeting',
    path: '/faq',
    isStaffed: true,
    settings: {
      greeting: ENGLISH('Hi, ask us anything about your exam day.'),
      quickReplies: { en: ['What does it cost?', 'Is my webcam good enough?', 'Can I reschedule?'], zh: [] },
    },
    pose: openChat,
  },
  {
    name: 'widget-conversation',
    path: '/faq',
    isStaffed: true,
    settings: { files: true },
    async pose(scene) {
      const visitor = await converse(scene)
      const chooser = scene.page.waitForEvent('filechooser')
      await visitor.panel.getByRole('button', { name: 'Attach a file' }).click()
      const buffer = await picture(640, 420)
      await (await chooser).setFiles({ name: 'my-room.png', mimeType: 'image/png', buffer })
      await visitor.panel.getByRole('list', { name: 'Files to send' }).getByText('my-room.png').waitFor()
      await visitor.type('This is my room.')
      await visitor.log.getByRole('img', { name: 'my-room.png' }).waitFor()
      const admin = await scene.backstage(`/dashboard/messages/${await visitor.clientId()}`)
      await admin.box.pressSequentially('That looks')
      await visitor.panel.getByText(/typing/i).waitFor()
    },
  },
  {
    name: 'widget-away',
    path: '/faq',
    settings: {
      hours: laterHours(),
      away: ENGLISH('If your exam runs now, please call your proctor first.'),
    },
    pose: openChat,
  },
  {
    name: 'widget-questions',
    path: '/faq',
    isStaffed: true,
    settings: { preChat: { name: 'required', email: 'optional', examAt: 'optional' } },
    async pose(scene) {
      const visitor = await openChat(scene)
      await visitor.type('Is my webcam good enough?')
    },
  },
  {
    name: 'widget-rating',
    path: '/faq',
    isStaffed: true,
    settings: { rating: true },
    async pose(scene) {
      const visitor = await converse(scene)
      const path = `/chat/admin/${await visitor.clientId()}`
      await scene.product.callAsAdmin('PATCH', path, { status: 'resolved' })
      await visitor.log.getByRole('radio').first().waitFor()
    },
  },
  {
    name: 'widget-email',
    path: '/faq',
    settings: { hours: laterHours() },
    async pose(scene) {
      const visitor = await openChat(scene)
      await visitor.send('Is my webcam good enough?')
      await visitor.panel.getByRole('textbox', { name: /email/i }).waitFor()
    },
  },
  {
    name: 'widget-offline',
    path: '/faq',
    isStaffed: true,
    async pose(scene) {
      const visitor = await converse(scene)
      await scene.page.context().setOffline(true)
      await visitor.panel
        .getByText(/offline|no connection|reconnect/i)
        .first()
        .waitFor()
      await visitor.type('Still there?')
    },
  },
  {
    name: 'widget-menu',
    path: '/faq',
    isStaffed: true,
    async pose(scene) {
      const visitor = await converse(scene)
      await visitor.panel.getByRole('button', { name: 'More' }).click()
    },
  },
  {
    name: 'widget-suggestions',
    path: '/faq',
    isStaffed: true,
    async pose(scene) {
      const visitor = await openChat(scene)
      await visitor.box.pressSequentially('can I move my exam')
      await visitor.panel.getByRole('button', { name: 'Can I move my exam to another date?' }).waitFor()
    },
  },
  {
    name: 'widget-chinese',
    path: '/faq',
    isStaffed: true,
    async pose(scene) {
      const visitor = await openChat(scene)
      await visitor.panel.getByRole('button', { name: 'More' }).click()
      await visitor.panel.getByRole('combobox', { name: 'Language' }).selectOption('中文')
      await scene.page.getByRole('dialog').getByRole('textbox', { name: '您的消息' }).waitFor()
      await scene.page.keyboard.press('Escape')
    },
  },
  {
    name: 'widget-site',
    path: '/faq',
    isStaffed: true,
    pose: (scene) => openOnSite(scene, false),
    tidy: leaveSite,
  },
  {
    name: 'widget-site-open',
    path: '/faq',
    isStaffed: true,
    pose: (scene) => openOnSite(scene, true),
    tidy: leaveSite,
  },
]
