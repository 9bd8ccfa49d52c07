import { act, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withoutLayout } from '../../testing/no-layout.ts'
import {
  ADMIN,
  aMessage,
  aPending,
  type ScriptedConversation,
  scriptedConversation,
} from '../../testing/scripted-conversation.ts'
import { MessageList } from './message-list.tsx'

const NAMES = { visitor: 'Visitor', admin: 'Support' }

beforeEach(() => withoutLayout())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function show(conversation: ScriptedConversation, side: 'visitor' | 'admin' = 'visitor', userId?: string) {
  return render(
    <MessageList
      conversation={conversation}
      side={side}
      userId={userId}
      label="Messages"
      names={NAMES}
      intro={<p>Welcome</p>}
      onSeen={conversation.markSeen}
    />,
  )
}
const log = () => screen.getByRole('log', { name: 'Messages' })
const rowOf = (text: string) => within(log()).getByText(text).closest('li') as HTMLElement
const isMine = (text: string) => rowOf(text).hasAttribute('data-mine')

/** jsdom lays nothing out: this is where the reader stands in a log of 10,000 px that shows 500. */
function scrollTo(top: number) {
  Object.defineProperties(log(), {
    scrollHeight: { configurable: true, value: 10_000 },
    clientHeight: { configurable: true, value: 500 },
  })
  log().scrollTop = top
  fireEvent.scroll(log())
}

describe('MessageList', () => {
  it('shows the visitor their own messages on the right and all others on the left', () => {
    show(scriptedConversation({ messages: [aMessage(1, 'visitor'), aMessage(2, 'admin')] }))
    expect(isMine('message 1')).toBe(true)
    expect(isMine('message 2')).toBe(false)
    expect(rowOf('message 2').textContent).toContain('Support: ')
  })

  it('names an admin above the first of several messages, with an initial beside the bubble', () => {
    const colleague = { ...aMessage(3, 'admin'), senderId: 'b'.repeat(24) }
    const unknown = { ...aMessage(4, 'admin'), senderId: 'c'.repeat(24) }
    show(
      scriptedConversation({
        messages: [aMessage(1, 'admin'), aMessage(2, 'admin'), colleague, unknown],
        people: { [ADMIN]: { name: 'ada' }, [colleague.senderId]: { name: '赵敏' } },
      }),
    )
    expect([...log().querySelectorAll('.chat-author')].map((name) => name.textContent)).toEqual([
      'ada',
      '赵敏',
      'Support',
    ])
    expect(rowOf('message 2').textContent).toContain('ada: message 2')
    expect(rowOf('message 2').querySelector('.chat-author')).toBeNull()
    expect(rowOf('message 2').querySelector('.chat-initial')?.textContent).toBe('A')
  })

  it('groups messages of a sender within minutes, and says which of them is seen', () => {
    const later = { ...aMessage(3, 'visitor'), createdAt: '2026-01-05T09:20:00.000Z' }
    const messages = [aMessage(1, 'visitor'), aMessage(2, 'visitor'), later, aMessage(4, 'admin')]
    show(scriptedConversation({ messages }))
    const joining = [1, 2, 3, 4].filter((seq) => rowOf(`message ${seq}`).hasAttribute('data-joins'))
    expect(joining).toEqual([2])
    // The style sheet hides the times of the others.
    const withStatus = [1, 2, 3, 4].filter((seq) => rowOf(`message ${seq}`).hasAttribute('data-status'))
    expect(withStatus).toEqual([3])
  })

  it('ends a group at what stands between its messages', () => {
    const messages = [aMessage(1, 'visitor'), aMessage(2, 'visitor')]
    render(
      <MessageList
        conversation={scriptedConversation({ messages })}
        side="admin"
        userId={ADMIN}
        label="Messages"
        names={NAMES}
        onSeen={() => {}}
        extras={(beforeSeq, rows) => beforeSeq === 2 && rows.push(<li key="note">a note</li>)}
      />,
    )
    expect(log().querySelectorAll('.chat-author, .chat-initial, time')).toHaveLength(6)
  })

  it('shows an admin their own messages on the right and those of other admins on the left', () => {
    const colleague = { ...aMessage(3, 'admin'), senderId: 'b'.repeat(24) }
    show(
      scriptedConversation({ messages: [aMessage(1, 'visitor'), aMessage(2, 'admin'), colleague] }),
      'admin',
      ADMIN,
    )
    expect([1, 2, 3].map((seq) => isMine(`message ${seq}`))).toEqual([false, true, false])
  })

  it('shows markup as text, and addresses as links without referrer and opener', () => {
    show(
      scriptedConversation({
        messages: [aMessage(1, 'admin', '<b onclick=x>hi</b> https://example.com javascript:alert(1)')],
      }),
    )
    expect(log().querySelector('b')).toBeNull()
    const links = within(log()).getAllByRole('link')
    expect(links).toHaveLength(1)
    expect(links[0]?.getAttribute('rel')).toBe('noopener noreferrer nofollow ugc')
    expect(links[0]?.getAttribute('target')).toBe('_blank')
  })

  it.each(['visitor', 'admin'] as const)('formats what admins write, shown to the %s', async (side) => {
    const text = '**Bring** _your_ `ID`:\n- [this page](https://a.example/b)\n- a pen'
    const messages = [aMessage(1, 'visitor', text), aMessage(2, 'admin', text)]
    show(
      scriptedConversation({ messages, pending: [aPending(text)] }),
      side,
      side === 'admin' ? ADMIN : undefined,
    )
    await vi.waitFor(() => expect(log().querySelector('li li')).not.toBeNull())
    const [typed, formatted, waiting] = [...log().querySelectorAll<HTMLElement>('.chat-text')]
    expect(typed?.textContent).toBe(text)
    expect(typed?.querySelector('strong, em, code, ul')).toBeNull()
    expect(formatted?.querySelector('p')?.innerHTML).toBe(
      '<strong>Bring</strong> <em>your</em> <code>ID</code>:\n',
    )
    expect([...(formatted?.querySelectorAll('li') ?? [])].map((item) => item.textContent)).toEqual([
      'this page',
      'a pen',
    ])
    const link = formatted?.querySelector('a')
    expect(link?.getAttribute('href')).toBe('https://a.example/b')
    expect(link?.getAttribute('rel')).toBe('noopener noreferrer nofollow ugc')
    expect(waiting?.textContent).toBe(`pending ${side === 'admin' ? formatted?.textContent : text}`)
  })

  it('folds a long message that is formatted', async () => {
    const text = `**Steps**\n${Array.from({ length: 20 }, (_, at) => `${at + 1}. step [${at}](https://a.example/)`).join('\n')}`
    show(scriptedConversation({ messages: [aMessage(1, 'admin', text)] }))
    await vi.waitFor(() => expect(log().querySelector('li li')).not.toBeNull())
    expect(log().querySelectorAll('li li')).toHaveLength(9)
    expect(log().querySelector('li li:last-child')?.textContent).toBe('step 8 …')
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
    await vi.waitFor(() => expect(log().querySelectorAll('li li')).toHaveLength(20))
  })

  it('shows more rows before the message that they belong to, and behind the newest, each under its day', () => {
    const messages = [aMessage(1, 'visitor'), aMessage(2, 'admin')]
    const asked: number[] = []
    render(
      <MessageList
        conversation={scriptedConversation({ messages, pending: [aPending('waits')] })}
        side="admin"
        userId={ADMIN}
        label="Messages"
        names={NAMES}
        onSeen={() => {}}
        extras={(beforeSeq, rows, startDay) => {
          asked.push(beforeSeq)
          startDay(new Date(Date.UTC(2026, 0, beforeSeq > 2 ? 6 : 5, 9)))
          rows.push(<li key={`extra ${beforeSeq}`}>before {beforeSeq}</li>)
        }}
      />,
    )
    expect(asked.slice(0, 3)).toEqual([1, 2, Number.POSITIVE_INFINITY])
    const rows = [...log().querySelectorAll('li')].map((row) =>
      row.matches('.chat-day') ? 'day' : (row.querySelector('.chat-text')?.textContent ?? row.textContent),
    )
    expect(rows).toEqual([
      'day',
      'before 1',
      'message 1',
      'before 2',
      'message 2',
      'day',
      'before Infinity',
      'pending waits',
    ])
  })

  it('renders the time of each message as datetime and as title', () => {
    show(scriptedConversation({ messages: [aMessage(1, 'visitor')] }))
    const time = log().querySelector('time')
    expect(time?.dateTime).toBe('2026-01-05T09:00:01.000Z')
    expect(time?.title).toContain('2026')
  })

  it('updates all times together', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 5, 9, 0, 3) })
    show(scriptedConversation({ messages: [aMessage(1, 'visitor')] }))
    expect(within(log()).getByText('just now')).toBeTruthy()
    act(() => void vi.advanceTimersByTime(120_000))
    expect(within(log()).getByText('2 minutes ago')).toBeTruthy()
  })

  it('shows a heading for each day', () => {
    const next = { ...aMessage(2, 'admin'), createdAt: '2026-01-07T09:00:00.000Z' }
    show(scriptedConversation({ messages: [aMessage(1, 'visitor'), next] }))
    expect(
      [...log().querySelectorAll('.chat-day:not(.chat-new-line)')].map((day) => day.textContent),
    ).toEqual([expect.stringContaining('January'), expect.stringContaining('January')])
  })

  it('keeps the element of a message when it is acknowledged', () => {
    const conversation = scriptedConversation({ pending: [aPending('nonce-1', { message: 'message 1' })] })
    show(conversation)
    const row = rowOf('message 1')
    expect(row.textContent).toContain('Sending...')
    act(() => conversation.change({ messages: [aMessage(1, 'visitor')], pending: [] }))
    expect(rowOf('message 1')).toBe(row)
    expect(row.textContent).not.toContain('Sending...')
  })

  it('shows why a message was refused, with buttons to retry, copy and discard it', async () => {
    const user = userEvent.setup()
    const conversation = scriptedConversation({
      pending: [
        aPending('one', { message: 'my words', state: 'refused', reason: 'Too fast. Wait a minute.' }),
      ],
    })
    show(conversation)
    expect(within(log()).getByText('Too fast. Wait a minute.')).toBeTruthy()
    await user.click(await screen.findByRole('button', { name: 'Retry' }))
    await user.click(screen.getByRole('button', { name: 'Copy' }))
    expect(await navigator.clipboard.readText()).toBe('my words')
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Discard' }))
    expect(conversation.asked).toEqual(['retry one', 'discard one'])
  })

  it('shows a held reply until its writer sends or discards it', async () => {
    const conversation = scriptedConversation({ pending: [aPending('one', { state: 'held' })] })
    show(conversation, 'admin', ADMIN)
    await userEvent.click(await screen.findByRole('button', { name: 'Send' }))
    expect(conversation.asked).toEqual(['retry one'])
    expect(screen.queryByRole('button', { name: 'Copy' })).toBeNull()
  })

  it('shows "Seen" once, below the last own message that the other side has read', () => {
    const conversation = scriptedConversation({
      messages: [
        aMessage(1, 'visitor'),
        aMessage(2, 'visitor'),
        aMessage(3, 'admin'),
        aMessage(4, 'visitor'),
      ],
      read: { visitor: 0, admin: 3 },
    })
    show(conversation)
    expect(within(log()).getAllByText(/Seen/)).toHaveLength(1)
    expect(rowOf('message 2').textContent).toContain('Seen')
    act(() => conversation.change({ read: { visitor: 0, admin: 4 } }))
    expect(rowOf('message 4').textContent).toContain('Seen')
    expect(rowOf('message 2').textContent).not.toContain('Seen')
  })

  it('shows "Sent" below the newest own message until it is seen', () => {
    const conversation = scriptedConversation({
      messages: [aMessage(1, 'visitor'), aMessage(2, 'visitor'), aMessage(3, 'admin')],
      pending: [aPending('one')],
    })
    show(conversation)
    expect(within(log()).getAllByText(/Sent/)).toHaveLength(1)
    expect(rowOf('message 2').textContent).toContain('Sent')
    expect(rowOf('pending one').textContent).toContain('Sending...')
    act(() => conversation.change({ read: { visitor: 0, admin: 1 } }))
    expect(rowOf('message 1').textContent).toContain('Seen')
    expect(rowOf('message 2').textContent).toContain('Sent')
    act(() => conversation.change({ read: { visitor: 0, admin: 2 } }))
    expect(rowOf('message 2').textContent).toContain('Seen')
    expect(within(log()).queryByText(/Sent/)).toBeNull()
  })

  it('switches between relative and exact times, by a press on any or by the keyboard', async () => {
    show(scriptedConversation({ messages: [aMessage(1, 'visitor'), aMessage(2, 'admin')] }))
    const times = () => [...log().querySelectorAll('time')].map((time) => time.textContent)
    const exact = expect.stringMatching(/Jan 5, 2026, 9:00\sAM/)
    const relative = expect.stringContaining('ago')
    expect(times()).toEqual([relative, relative])
    await userEvent.click(log().querySelector('time') as HTMLElement)
    expect(times()).toEqual([exact, exact])
    // A single stop of the Tab key, after the log itself.
    log().focus()
    await userEvent.tab()
    const button = document.activeElement as HTMLElement
    expect(rowOf('message 2').contains(button)).toBe(true)
    expect(button.getAttribute('aria-pressed')).toBe('true')
    await userEvent.keyboard('{Enter}')
    expect(times()).toEqual([relative, relative])
    await userEvent.tab()
    expect(log().contains(document.activeElement)).toBe(false)
  })

  describe('the "New" line', () => {
    const textAfterLine = () =>
      log().querySelector('.chat-new-line')?.nextElementSibling?.querySelector('.chat-text')?.textContent

    it('stands above what came since the reader last looked, not above what comes while they look', () => {
      const messages = [
        aMessage(1, 'admin'),
        aMessage(2, 'visitor'),
        aMessage(3, 'admin'),
        aMessage(4, 'admin'),
      ]
      const conversation = scriptedConversation({ messages, read: { visitor: 1, admin: 0 } })
      const { unmount } = show(conversation)
      expect(within(log()).getAllByText('New')).toHaveLength(1)
      expect(textAfterLine()).toBe('message 3')
      act(() => conversation.change({ read: { visitor: 4, admin: 0 } }))
      expect(textAfterLine()).toBe('message 3')
      unmount()

      show(conversation)
      expect(textAfterLine()).toBeUndefined()
      const later = { ...aMessage(5, 'admin'), createdAt: new Date(Date.now() + 1_000).toISOString() }
      act(() => conversation.change({ messages: [...messages, later] }))
      expect(textAfterLine()).toBeUndefined()
    })

    it('stands above what comes while the tab is hidden', () => {
      const conversation = scriptedConversation({
        messages: [aMessage(1, 'visitor')],
        read: { visitor: 0, admin: 1 },
      })
      show(conversation, 'admin', ADMIN)
      const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
      fireEvent(document, new Event('visibilitychange'))
      act(() => conversation.change({ messages: [1, 2, 3].map((seq) => aMessage(seq, 'visitor')) }))
      visibility.mockReturnValue('visible')
      fireEvent(document, new Event('visibilitychange'))
      expect(textAfterLine()).toBe('message 2')
      visibility.mockRestore()
    })

    it('is missing where nothing is above it, and above own messages', () => {
      const { unmount } = show(
        scriptedConversation({ messages: [aMessage(1, 'admin'), aMessage(2, 'admin')] }),
      )
      expect(textAfterLine()).toBeUndefined()
      unmount()
      show(scriptedConversation({ messages: [aMessage(1, 'visitor'), aMessage(2, 'visitor')] }))
      expect(textAfterLine()).toBeUndefined()
    })
  })

  it('keeps the scroll position of a reader who scrolled up, and counts new messages', async () => {
    const conversation = scriptedConversation({ messages: [aMessage(1, 'admin')] })
    show(conversation)
    scrollTo(4_000)
    act(() =>
      conversation.change({ messages: [aMessage(1, 'admin'), aMessage(2, 'admin'), aMessage(3, 'admin')] }),
    )
    expect(log().scrollTop).toBe(4_000)
    screen.getByRole('button', { name: '2 new messages' }).focus()
    await userEvent.keyboard('{Enter}')
    expect(log().scrollTop).toBe(10_000)
    expect(screen.queryByRole('button', { name: /new message/ })).toBeNull()
    expect(document.activeElement).toBe(log())
  })

  it('stays where the reader scrolled to, also before the browser tells of it', () => {
    const conversation = scriptedConversation({ messages: [aMessage(1, 'admin')] })
    show(conversation)
    scrollTo(9_500)
    act(() => conversation.change({ visitorTyping: true }))
    log().scrollTop = 4_000
    act(() => conversation.change({ read: { admin: 1, visitor: 1 } }))
    expect(log().scrollTop).toBe(4_000)
    scrollTo(4_000)
    act(() => conversation.change({ messages: [aMessage(1, 'admin'), aMessage(2, 'admin')] }))
    expect(log().scrollTop).toBe(4_000)
    expect(screen.getByRole('button', { name: '1 new message' })).toBeDefined()
  })

  it('follows the newest message while the reader is at the end', () => {
    const conversation = scriptedConversation({ messages: [aMessage(1, 'admin')] })
    show(conversation)
    scrollTo(9_480)
    act(() => conversation.change({ messages: [aMessage(1, 'admin'), aMessage(2, 'admin')] }))
    expect(log().scrollTop).toBe(10_000)
    expect(screen.queryByRole('button', { name: /new message/ })).toBeNull()
  })

  it('loads older messages near the top, only when they exist', () => {
    const conversation = scriptedConversation({ messages: [aMessage(9, 'admin')], hasOlder: true })
    show(conversation)
    scrollTo(5_000)
    expect(conversation.asked).not.toContain('older')
    scrollTo(100)
    expect(conversation.asked.filter((call) => call === 'older')).toHaveLength(1)
    act(() => conversation.change({ hasOlder: false }))
    scrollTo(50)
    expect(conversation.asked.filter((call) => call === 'older')).toHaveLength(1)
    expect(screen.getByText('Welcome')).toBeTruthy()
  })

  it('does not retry failed older messages on scrolling, but on a press', async () => {
    const conversation = scriptedConversation({ messages: [aMessage(9, 'admin')], hasOlder: true })
    conversation.loadOlder = vi.fn(() => Promise.reject(new Error('offline')))
    show(conversation)
    scrollTo(100)
    const again = await screen.findByRole('button', { name: /Try again/ })
    scrollTo(90)
    expect(conversation.loadOlder).toHaveBeenCalledTimes(1)
    await userEvent.click(again)
    expect(conversation.loadOlder).toHaveBeenCalledTimes(2)
  })

  it('marks only messages of the other side as seen', () => {
    const conversation = scriptedConversation({ messages: [aMessage(1, 'admin'), aMessage(2, 'visitor')] })
    show(conversation)
    expect(conversation.asked).toEqual(['seen 1'])
  })

  it('marks nothing as seen in a hidden tab, until it is visible', () => {
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    const conversation = scriptedConversation({ messages: [aMessage(1, 'admin')] })
    show(conversation)
    expect(conversation.asked).toEqual([])
    visibility.mockReturnValue('visible')
    fireEvent(document, new Event('visibilitychange'))
    expect(conversation.asked).toEqual(['seen 1'])
    visibility.mockRestore()
  })

  it('announces new messages only, neither the first page nor older ones', () => {
    vi.useFakeTimers()
    const conversation = scriptedConversation({ loaded: false })
    show(conversation)
    expect(log().getAttribute('aria-live')).toBe('off')
    act(() => conversation.change({ loaded: true, messages: [aMessage(5, 'admin')], hasOlder: true }))
    expect(log().getAttribute('aria-live')).toBe('off')
    act(() => void vi.advanceTimersByTime(2_000))
    expect(log().getAttribute('aria-live')).toBe('polite')
    act(() => conversation.change({ loadingOlder: true }))
    act(() =>
      conversation.change({ loadingOlder: false, messages: [aMessage(4, 'admin'), aMessage(5, 'admin')] }),
    )
    expect(log().getAttribute('aria-live')).toBe('off')
    act(() => void vi.advanceTimersByTime(2_000))
    act(() =>
      conversation.change({ messages: [aMessage(4, 'admin'), aMessage(5, 'admin'), aMessage(6, 'admin')] }),
    )
    expect(log().getAttribute('aria-live')).toBe('polite')
  })

  it('shows who is typing', () => {
    const conversation = scriptedConversation({ adminTyping: true, visitorTyping: true })
    const { unmount } = show(conversation)
    expect(screen.getByText('Support is typing...')).toBeTruthy()
    unmount()
    show(conversation, 'admin', ADMIN)
    expect(screen.getByText('Visitor is typing...')).toBeTruthy()
  })
})
