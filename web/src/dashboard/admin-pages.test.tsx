import type { Blog } from '@proctorpass/shared/schemas/blog'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { Review } from '@proctorpass/shared/schemas/review'
import { configure, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { SIGNED_OUT, useAuth } from '../lib/auth-store.ts'
import { SiteConfigContext } from '../lib/site-config.ts'
import { http } from '../testing/our-http.ts'
import { givePageState, testConfig } from '../testing/page-state.ts'
import type { RichTextEditorProps } from './posts/editor/rich-text-editor.tsx'
import { dashboardRoute } from './routes.tsx'

vi.setConfig({ testTimeout: 60_000 })
configure({ asyncUtilTimeout: 20_000 })

// Quill needs a browser that lays out: the end-to-end tests have one.
vi.mock('./posts/editor/rich-text-editor.tsx', () => ({
  RichTextEditor: ({ labelledBy, initialHtml, onChange }: RichTextEditorProps) => (
    <textarea
      aria-labelledby={labelledBy}
      defaultValue={initialHtml}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  ),
}))

/** On the page's own origin: jsdom's XMLHttpRequest sends a preflight to others. */
const API = `${location.origin}/api`

const config: PublicConfig = {
  ...testConfig,
  chat: { transport: 'polling', pollMs: 60_000, unreadPollMs: 60_000 },
}

const post: Blog = {
  _id: 'b'.repeat(24),
  title: 'A quiet room',
  slug: 'a-quiet-room',
  summary: 'x'.repeat(120),
  img: '/images/posts/desk.svg',
  imgAlt: 'A desk',
  content: '<p>Close the door.</p>',
  ...{ lang: 'en', state: 'published' as const, author: null, readingMinutes: 4 },
  ...{ publishAt: '2026-11-01T00:00:00.000Z', publishedAt: '2026-11-01T00:00:00.000Z' },
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
  sample: false,
  version: 3,
}
const review: Review = { _id: 'c'.repeat(24), name: 'Noor', time: 'May 2026', star: 4.3, review: 'Calm.' }

/** The calls that the server received: method and path, and body. */
let received: { call: string; body: unknown }[] = []

const note = async (request: Request, body: unknown = null) => {
  received.push({ call: `${request.method} ${new URL(request.url).pathname.slice('/api'.length)}`, body })
}

const server = setupServer(
  http.get(`${API}/chat`, () => HttpResponse.json({ message: 'No messages found!' })),
  http.get(`${API}/chat/unread/count`, () => HttpResponse.json({ totalAdminUnread: 0 })),
  http.get(`${API}/config`, () => HttpResponse.json(config)),
  http.get(`${API}/blogs`, () => HttpResponse.json({ blogs: [post], count: 1 })),
  http.get(`${API}/blogs/one/:slug`, () => HttpResponse.json(post)),
  http.get(`${API}/reviews`, () => HttpResponse.json({ reviews: [review], count: 1 })),
  http.get(`${API}/chat/updates`, () => HttpResponse.json({ updates: [] })),
  http.get(`${API}/reviews/pending`, () => HttpResponse.json({ reviews: [], count: 0 })),
  http.get(`${API}/account/searches`, () => HttpResponse.json({ searches: [] })),
  http.get(`${API}/team`, () => HttpResponse.json({ admins: [] })),
  http.get(`${API}/version`, () => HttpResponse.json({ version: '1.2.3' })),
  http.get(`${API}/contacts`, () =>
    HttpResponse.json({ message: 'No contacts  found!', contacts: [], count: 0 }),
  ),
)

function refuse(method: 'post' | 'patch' | 'delete', path: string, body: object, status: number) {
  server.use(http[method](API + path, () => HttpResponse.json({ requestId: 'r1', ...body }, { status })))
}

function open(path: string, publicReviews: PublicConfig['publicReviews'] = 'off') {
  const router = createMemoryRouter([{ ...dashboardRoute, hydrateFallbackElement: <></> }], {
    initialEntries: [path],
  })
  render(
    <SiteConfigContext value={{ ...config, publicReviews }}>
      <RouterProvider router={router} />
    </SiteConfigContext>,
  )
  return router
}

const toastWith = (text: string) =>
  waitFor(() =>
    expect(within(screen.getByRole('region', { name: 'Notices' })).getAllByText(text).length).toBeGreaterThan(
      0,
    ),
  )

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

beforeAll(() => {
  givePageState({ config, apiPrefix: API })
  server.listen({ onUnhandledFrame: 'error' })
  window.matchMedia ??= () => ({ matches: false, addEventListener() {}, removeEventListener() {} }) as never
  // jsdom has the element and not its methods.
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true
  }
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false
  }
})

beforeEach(() => {
  received = []
  localStorage.clear()
  useAuth.setState({ roles: ['Admin'], accessToken: 'token', user_Id: 'a'.repeat(24), userName: 'Grace' })
})

afterEach(() => {
  server.resetHandlers()
  useAuth.setState(SIGNED_OUT)
})

afterAll(() => server.close())

test('an empty post has a message beside each field and sends nothing', async () => {
  open('/dashboard/add-blog')
  await screen.findByRole('textbox', { name: 'Blog Content' })
  await press('Add')
  expect(await screen.findByText('Title is required')).toBeDefined()
  for (const message of ['Summary is required', 'Blog slug is required']) {
    expect(screen.getByText(message)).toBeDefined()
  }
  await toastWith('Please upload image!')
  await toastWith('Content is required!')
  expect(received).toEqual([])
})

test('a title proposes the slug until another is typed', async () => {
  open('/dashboard/add-blog')
  await screen.findByRole('textbox', { name: 'Blog Content' })
  type('Title', 'Über 10 Tips: it’s calm!')
  expect(screen.getByLabelText('Slug')).toHaveProperty('value', 'uber-tips-its-calm')
  type('Slug', 'my own')
  type('Title', 'Another')
  expect(screen.getByLabelText('Slug')).toHaveProperty('value', 'my own')
  await press('Add')
  expect(
    await screen.findByText('Wrong format! Only use lower case and separate words with hyphen'),
  ).toBeDefined()
})

test('a file that is too large or no image is refused before sending', async () => {
  open('/dashboard/add-blog')
  await screen.findByRole('textbox', { name: 'Blog Content' })
  const choose = (file: File) =>
    fireEvent.change(screen.getByLabelText('Upload Image'), { target: { files: [file] } })
  choose(new File(['words'], 'notes.txt'))
  expect(await screen.findByText("notes.txt isn't a JPG, PNG, SVG, or WebP image.")).toBeDefined()
  choose(new File([new Uint8Array(12 * 1024 * 1024)], 'desk.png'))
  expect(await screen.findByText('desk.png is 12.0 MB. The limit is 10 MB.')).toBeDefined()
})

test('a taken slug has a message beside its field, and the spinner stops', async () => {
  refuse(
    'patch',
    '/blogs/:id',
    { message: 'Taken.', code: 'conflict', details: [{ field: 'slug', message: 'This slug is taken.' }] },
    409,
  )
  open('/dashboard/edit/a-quiet-room')
  await screen.findByDisplayValue('A quiet room')
  await press('Submit')
  expect((await screen.findAllByText('This slug is taken.')).length).toBeGreaterThan(0)
  expect(screen.getByLabelText('Slug').getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByRole('button', { name: 'Submit' })).toHaveProperty('disabled', false)
})

test("a gateway's answer to a change asks to try again", async () => {
  refuse('patch', '/blogs/:id', {}, 500)
  open('/dashboard/edit/a-quiet-room')
  await screen.findByDisplayValue('A quiet room')
  await press('Submit')
  await toastWith("We can't reach the server. Try again.")
})

test('a post that cannot be read shows an error', async () => {
  server.use(
    http.get(`${API}/blogs/one/:slug`, () =>
      HttpResponse.json({ message: 'No such post.', code: 'not-found', requestId: 'r1' }, { status: 404 }),
    ),
  )
  open('/dashboard/edit/gone')
  expect(await screen.findByText('Could not load blog try again!')).toBeDefined()
})

test('a card shows the first hundred characters and dots, and deleting asks first', async () => {
  refuse('delete', '/blogs/:id', { message: 'The post is locked.', code: 'conflict' }, 409)
  open('/dashboard/my-blogs')
  expect(await screen.findByText('Loading')).toBeDefined()
  expect(await screen.findByText(`${'x'.repeat(100)}...`)).toBeDefined()
  expect(screen.getByRole('link', { name: 'Edit A quiet room' })).toHaveProperty(
    'pathname',
    '/dashboard/edit/a-quiet-room',
  )
  await press('Delete A quiet room')
  const dialog = screen.getByRole('dialog', { name: 'Delete Post!' })
  expect(dialog.textContent).toContain('Are you sure you want to delete this post?')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  await toastWith('The post is locked.')
})

test('a message replaces the cards', async () => {
  server.use(
    http.get(`${API}/blogs`, () => HttpResponse.json({ message: 'No blogs found!', blogs: [], count: 0 })),
  )
  open('/dashboard/my-blogs')
  expect(await screen.findByText('No blogs found!')).toBeDefined()
})

test('an empty list of contacts keeps both spaces of its message', async () => {
  open('/dashboard/contacts')
  const message = await screen.findByText((_, element) => element?.textContent === 'No contacts  found!', {
    selector: '.list-words',
  })
  expect(message).toBeDefined()
})

test('a review is sent as typed, then the form is empty', async () => {
  server.use(
    http.post(`${API}/reviews`, async ({ request }) => {
      await note(request, await request.json())
      return HttpResponse.json({ message: 'Published.', data: review }, { status: 201 })
    }),
  )
  open('/dashboard/add-review')
  await screen.findByRole('heading', { name: 'Add review' })
  await press('Submit')
  expect(await screen.findByText('Name is required')).toBeDefined()
  expect(screen.getByText('Time is required')).toBeDefined()
  expect(screen.getAllByText('Required')).toHaveLength(2)
  type('Name', 'Noor')
  type('Time', 'May 2026')
  type('Stars', '4.7')
  type('Review', 'Calm.')
  await press('Submit')
  await toastWith('Published.')
  expect(received).toEqual([
    { call: 'POST /reviews', body: { name: 'Noor', time: 'May 2026', star: 4.7, review: 'Calm.' } },
  ])
  expect(screen.getByLabelText('Name')).toHaveProperty('value', '')
})

test('a refused review has its message in the form', async () => {
  refuse('post', '/reviews', { message: 'Not today.', code: 'invalid-input' }, 400)
  open('/dashboard/add-review')
  await screen.findByRole('heading', { name: 'Add review' })
  type('Name', 'Noor')
  type('Time', 'May 2026')
  type('Stars', '5')
  type('Review', 'Calm.')
  await press('Submit')
  expect((await screen.findByText('Not today.')).getAttribute('role')).toBe('alert')
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Noor')
})

test('editing a review sends its text as newReview, and any number of stars', async () => {
  server.use(
    http.patch(`${API}/reviews/:id`, async ({ request }) => {
      await note(request, await request.json())
      return HttpResponse.json({ message: 'Saved.', data: review })
    }),
  )
  open('/dashboard/my-reviews')
  await userEvent.click(await screen.findByRole('button', { name: 'Edit the review of Noor' }))
  const modal = screen.getByRole('dialog', { name: 'Edit Review' })
  fireEvent.change(within(modal).getByLabelText('Star'), { target: { value: '2.3' } })
  fireEvent.change(within(modal).getByLabelText('Review'), { target: { value: 'Calm and clear.' } })
  await userEvent.click(within(modal).getByRole('button', { name: 'Edit' }))
  await toastWith('Saved.')
  expect(received).toEqual([
    {
      call: `PATCH /reviews/${review._id}`,
      body: { name: 'Noor', time: 'May 2026', star: 2.3, newReview: 'Calm and clear.' },
    },
  ])
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the menu and the page count the reviews that wait, down to none', async () => {
  let waiting = ['Ada', 'Sam'].map((name, index) => ({ ...review, _id: String(index).repeat(24), name }))
  const settle: Parameters<typeof http.post>[1] = ({ params }) => {
    waiting = waiting.filter(({ _id }) => _id !== params.id)
    return HttpResponse.json({ message: 'Done.', data: review })
  }
  server.use(
    http.get(`${API}/reviews/pending`, () => HttpResponse.json({ reviews: waiting, count: waiting.length })),
    http.post(`${API}/reviews/:id/approve`, settle),
    http.delete(`${API}/reviews/:id`, settle),
  )
  open('/dashboard/my-reviews', 'moderated')
  expect(await screen.findByRole('link', { name: 'My reviews (2 waiting for approval)' })).toBeDefined()
  expect(screen.getByRole('heading', { name: 'Waiting for approval (2)' })).toBeDefined()
  await press('Approve the review of Ada')
  expect(await screen.findByRole('link', { name: 'My reviews (1 waiting for approval)' })).toBeDefined()
  expect(screen.getByRole('heading', { name: 'Waiting for approval (1)' })).toBeDefined()
  await press('Remove the review of Sam')
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByRole('link', { name: 'My reviews' })).toBeDefined()
  expect(screen.getByText('No reviews to approve')).toBeDefined()
})

test('while public reviews are off, the page says that nothing is stored and how to change it', async () => {
  open('/dashboard/my-reviews')
  const note = await screen.findByText(/Public reviews are off/)
  expect(note.textContent).toContain('stores nothing')
  expect(note.textContent).toContain('PUBLIC_REVIEWS=moderated')
  expect(screen.queryByText('No reviews to approve')).toBeNull()
})

test('reviews that were sent before public reviews were turned off still wait', async () => {
  server.use(
    http.get(`${API}/reviews/pending`, () => HttpResponse.json({ reviews: [review], count: 1 })),
    http.get(`${API}/reviews`, () =>
      HttpResponse.json({ message: 'No reviews found!', reviews: [], count: 0 }),
    ),
  )
  open('/dashboard/my-reviews')
  expect(await screen.findByRole('button', { name: 'Approve the review of Noor' })).toBeDefined()
  expect(screen.getByRole('link', { name: 'My reviews (1 waiting for approval)' })).toBeDefined()
})

test('a save that meets an expired token refreshes it once and is sent again', async () => {
  let refreshes = 0
  server.use(
    http.get(`${API}/auth/refresh/:userId`, () => {
      refreshes++
      return HttpResponse.json({
        accessToken: 'fresh',
        roles: ['Admin'],
        user_Id: 'a'.repeat(24),
        userName: 'Grace',
      })
    }),
    http.patch(`${API}/blogs/:id`, ({ request }) => {
      if (request.headers.get('authorization') !== 'Bearer fresh') {
        return HttpResponse.json({ message: 'Expired.', code: 'forbidden', requestId: 'r1' }, { status: 403 })
      }
      return HttpResponse.json({ message: 'Post saved', data: { ...post, version: 4 } })
    }),
  )
  open('/dashboard/edit/a-quiet-room')
  await screen.findByDisplayValue('A quiet room')
  await press('Submit')
  await toastWith('Post saved')
  expect(refreshes).toBe(1)
})
