import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { MemoryRouter } from 'react-router'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { SiteConfigContext } from '../lib/site-config.ts'
import { withoutLayout } from '../testing/no-layout.ts'
import { http } from '../testing/our-http.ts'
import { API, givePageState, testConfig } from '../testing/page-state.ts'
import { ContactForm } from './contact-form.tsx'
import { ReviewForm } from './review-form.tsx'
import { SentFormContext } from './sent-form.ts'

const THANKS = 'Thank you. We read every message.'
const received: unknown[] = []
const server = setupServer(
  http.post(`${API}/contacts`, async ({ request }) => {
    received.push(await request.json())
    return HttpResponse.json({ message: THANKS })
  }),
)

beforeAll(() => {
  givePageState()
  withoutLayout()
  server.listen({ onUnhandledFrame: 'error' })
})
afterEach(() => {
  server.resetHandlers()
  received.length = 0
})
afterAll(() => server.close())

function contactForm(titleMissing = 'Title is required') {
  render(
    <MemoryRouter>
      <ContactForm action="/contact" titleMissing={titleMissing} />
    </MemoryRouter>,
  )
}

const box = (label: string) => screen.getByLabelText(label) as HTMLInputElement
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

/** The message beside a field, as assistive technology finds it. */
function messageOf(label: string): string | undefined {
  const ids = box(label).getAttribute('aria-describedby')?.split(' ') ?? []
  return ids.map((id) => document.getElementById(id)?.textContent).at(-1) ?? undefined
}

async function fillIn(email = 'ada@example.org') {
  await userEvent.type(box('Email'), email)
  await userEvent.type(box('Title'), 'My exam')
  await userEvent.type(box('Message'), 'Is on Friday.')
}

describe('ContactForm', () => {
  it.each(['title is required', 'Title is required'])(
    'names missing fields, with "%s"',
    async (titleMissing) => {
      contactForm(titleMissing)
      await press('Send message')
      await vi.waitFor(() => expect(messageOf('Email')).toBe('Email is required'))
      expect(messageOf('Title')).toBe(titleMissing)
      expect(messageOf('Message')).toBe('Message is required')
      expect(box('Email').getAttribute('aria-invalid')).toBe('true')
      expect(document.activeElement).toBe(box('Email'))
      expect(received).toEqual([])
    },
  )

  it('refuses white space and wrong addresses', async () => {
    contactForm()
    await userEvent.type(box('Email'), 'ada')
    await userEvent.type(box('Title'), '  ')
    await press('Send message')
    await vi.waitFor(() => expect(messageOf('Email')).toBe('Enter a valid email address'))
    expect(messageOf('Title')).toBe('Title is required')
  })

  it('removes a message once its field is right', async () => {
    contactForm()
    await press('Send message')
    await vi.waitFor(() => expect(messageOf('Title')).toBe('Title is required'))
    await userEvent.type(box('Title'), 'My exam')
    await vi.waitFor(() => expect(messageOf('Title')).toBeUndefined())
    expect(box('Title').getAttribute('aria-invalid')).toBe('false')
  })

  it("sends the text, then is empty and shows the server's message below and in a toast", async () => {
    contactForm()
    await fillIn()
    await press('Send message')
    await vi.waitFor(() => expect(screen.getByRole('status').textContent).toBe(THANKS))
    await vi.waitFor(() =>
      expect(screen.getByRole('region', { name: 'Notices' }).textContent).toContain(THANKS),
    )
    expect(received).toEqual([
      { email: 'ada@example.org', title: 'My exam', message: 'Is on Friday.', website: '' },
    ])
    expect(['Email', 'Title', 'Message'].map((label) => box(label).value)).toEqual(['', '', ''])
  })

  it('can be sent a second time', async () => {
    contactForm()
    for (const n of [1, 2]) {
      await fillIn(`ada${n}@example.org`)
      await press('Send message')
      await vi.waitFor(() => expect(received).toHaveLength(n))
      await vi.waitFor(() => expect(box('Email').value).toBe(''))
    }
    expect(received).toMatchObject([{ email: 'ada1@example.org' }, { email: 'ada2@example.org' }])
  })

  it('keeps the text when the server refuses a field, with the message beside it', async () => {
    const details = [{ field: 'title', message: 'A title is one line.' }]
    server.use(
      http.post(`${API}/contacts`, () =>
        HttpResponse.json(
          { message: 'A title is one line.', code: 'invalid-input', requestId: 'r1', details },
          { status: 400 },
        ),
      ),
    )
    contactForm()
    await fillIn()
    await press('Send message')
    await vi.waitFor(() => expect(messageOf('Title')).toBe('A title is one line.'))
    expect(box('Message').value).toBe('Is on Friday.')
    expect(document.activeElement).toBe(box('Title'))
  })

  it('keeps the text when the server does not answer, with a message', async () => {
    server.use(http.post(`${API}/contacts`, () => HttpResponse.error()))
    contactForm()
    await fillIn()
    await press('Send message')
    await vi.waitFor(() =>
      expect(screen.getByRole('status').textContent).toBe("We can't reach the server. Try again."),
    )
    expect(screen.getByRole('status').dataset.failed).toBe('true')
    expect(box('Email').value).toBe('ada@example.org')
    expect(screen.getByRole('button', { name: 'Send message' })).toHaveProperty('disabled', false)
  })

  it('sends a submit from before the engine was loaded', async () => {
    contactForm()
    // Without events: text typed before the page's scripts ran.
    box('Email').value = 'ada@example.org'
    box('Title').value = 'My exam'
    box('Message').value = 'Is on Friday.'
    fireEvent.submit(box('Email').form as HTMLFormElement)
    await vi.waitFor(() => expect(received).toMatchObject([{ title: 'My exam', message: 'Is on Friday.' }]))
  })

  it('keeps text and focus when the engine is loaded during typing', async () => {
    contactForm()
    const email = box('Email')
    await userEvent.type(email, 'ada')
    await import('./form-engine.tsx')
    await userEvent.type(email, '@example.org')
    expect(box('Email')).toBe(email)
    expect(document.activeElement).toBe(email)
    expect(email.value).toBe('ada@example.org')
  })

  it('has a honeypot that is hidden from people', async () => {
    contactForm()
    const honeypot = document.querySelector<HTMLInputElement>('input[name=website]')
    expect(honeypot?.tabIndex).toBe(-1)
    expect(screen.queryByRole('textbox', { name: 'Website' })).toBeNull()
    if (honeypot) fireEvent.change(honeypot, { target: { value: 'spam' } })
    await fillIn()
    if (honeypot) fireEvent.change(honeypot, { target: { value: 'spam' } })
    await press('Send message')
    await vi.waitFor(() => expect(received).toMatchObject([{ website: 'spam' }]))
  })

  it('starts with the result of a submit without scripts', async () => {
    const sent = {
      values: { email: 'ada@example.org', title: '', message: 'Is on Friday.' },
      errors: [{ field: 'title', message: 'Title is required' }],
      message: null,
    }
    render(
      <MemoryRouter>
        <SentFormContext value={sent}>
          <ContactForm action="/contact" titleMissing="Title is required" />
        </SentFormContext>
      </MemoryRouter>,
    )
    expect(messageOf('Title')).toBe('Title is required')
    await userEvent.type(box('Title'), 'My exam')
    await press('Send message')
    await vi.waitFor(() =>
      expect(received).toMatchObject([
        { email: 'ada@example.org', title: 'My exam', message: 'Is on Friday.' },
      ]),
    )
    await vi.waitFor(() => expect(box('Message').value).toBe(''))
    expect(messageOf('Title')).toBeUndefined()
  })
})

describe('ReviewForm', () => {
  function reviewForm(publicReviews: PublicConfig['publicReviews'] = 'off') {
    render(
      <MemoryRouter>
        <SiteConfigContext value={{ ...testConfig, publicReviews }}>
          <ReviewForm />
        </SiteConfigContext>
      </MemoryRouter>,
    )
  }

  it('names missing fields', async () => {
    reviewForm()
    await press('Send review')
    await vi.waitFor(() => expect(messageOf('Name')).toBe('Name is required'))
    expect(messageOf('Stars')).toBe('Required')
    expect(messageOf('Review')).toBe('Required')
    expect(document.activeElement).toBe(box('Name'))
  })

  it.each(['0', '0.5', '5.5', '-1', '6'])('refuses %s stars', async (stars) => {
    reviewForm()
    await userEvent.type(box('Stars'), stars)
    await press('Send review')
    await vi.waitFor(() => expect(messageOf('Stars')).toBe('Enter a number from 1 to 5'))
  })

  it('acknowledges without a call, then is empty', async () => {
    reviewForm()
    await userEvent.type(box('Name'), 'Ada')
    await userEvent.type(box('Stars'), '4.7')
    await userEvent.type(box('Review'), 'Calm people.')
    await press('Send review')
    await vi.waitFor(() => expect(screen.getByRole('status').textContent).toBe('Review sent successfully'))
    expect(['Name', 'Stars', 'Review'].map((label) => box(label).value)).toEqual(['', '', ''])
    expect(received).toEqual([])
  })
})
