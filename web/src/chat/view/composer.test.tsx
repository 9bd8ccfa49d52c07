import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { KeyboardEvent } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { english, chinese as zh } from '../../testing/words.ts'
import type { Words } from '../language/words.ts'
import { Composer } from './composer.tsx'
import { ViewLanguageContext } from './view-language.ts'

const KEY = 'draft:visitor'
const onSend = vi.fn()
const onTyping = vi.fn()

function show({ sending = false } = {}) {
  return render(<Composer draftKey={KEY} onSend={onSend} onTyping={onTyping} sending={sending} />)
}
const box = () => screen.getByLabelText<HTMLTextAreaElement>('Your message')

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  onSend.mockReset()
  onTyping.mockReset()
})

describe('Composer', () => {
  it('sends on Enter, clears the box and keeps the focus', async () => {
    show()
    await userEvent.type(box(), '  hello  {Enter}')
    expect(onSend.mock.calls).toEqual([['  hello', []]])
    expect(box().value).toBe('')
    expect(document.activeElement).toBe(box())
  })

  it('sends with the button and moves the focus back', async () => {
    show()
    await userEvent.type(box(), 'hello')
    await userEvent.click(screen.getByRole('button', { name: 'Send' }))
    expect(onSend).toHaveBeenCalledExactlyOnceWith('hello', [])
    expect(document.activeElement).toBe(box())
  })

  it('inserts a line break on Shift+Enter', async () => {
    show()
    await userEvent.type(box(), 'one{Shift>}{Enter}{/Shift}two')
    expect(onSend).not.toHaveBeenCalled()
    expect(box().value).toBe('one\ntwo')
  })

  it.each([
    ['while composing', { isComposing: true }],
    ['right after composing, as Safari reports it', { keyCode: 229 }],
  ])('does not send on the Enter of an input method %s', (_when, init) => {
    show()
    fireEvent.change(box(), { target: { value: 'ni hao' } })
    fireEvent.keyDown(box(), { key: 'Enter', ...init })
    expect(onSend).not.toHaveBeenCalled()
    expect(box().value).toBe('ni hao')
  })

  it('shows an error instead of sending an empty message', async () => {
    show()
    await userEvent.type(box(), '   {Enter}')
    expect(onSend).not.toHaveBeenCalled()
    expect(screen.getByRole('alert').textContent).toBe('Message is required')
    await userEvent.type(box(), 'now')
    expect(screen.getByRole('alert').textContent).toBe('')
  })

  it('shows an error in the language that is chosen after it', async () => {
    const inLanguage = (words: Words) => (
      <ViewLanguageContext value={{ words, tag: 'en', locale: 'en' }}>
        <Composer draftKey={KEY} onSend={onSend} onTyping={onTyping} sending={false} />
      </ViewLanguageContext>
    )
    const { rerender } = render(inLanguage(english))
    await userEvent.type(box(), '{Enter}')
    expect(screen.getByRole('alert').textContent).toBe('Message is required')
    rerender(inLanguage(zh))
    expect(screen.getByRole('alert').textContent).toBe('请输入消息')
  })

  it('is not marked as wrong while something else keeps the message', async () => {
    render(<Composer draftKey={KEY} onSend={onSend} onTyping={onTyping} sending={false} refuse={() => ''} />)
    await userEvent.type(box(), 'hello{Enter}')
    expect(onSend).not.toHaveBeenCalled()
    expect(box().getAttribute('aria-invalid')).toBe('false')
  })

  it('counts code points and keeps a text that is too long', async () => {
    show()
    const long = '😀'.repeat(4_001)
    fireEvent.change(box(), { target: { value: long } })
    expect(screen.getByRole('alert').textContent).toContain('4,001 of at most 4,000')
    await userEvent.type(box(), '{Enter}')
    expect(onSend).not.toHaveBeenCalled()
    expect(box().value).toBe(long)

    fireEvent.change(box(), { target: { value: '😀'.repeat(3_999) } })
    expect(screen.getByText('1 character left')).toBeTruthy()
    fireEvent.change(box(), { target: { value: '😀'.repeat(3_990) } })
    expect(screen.getByText('10 characters left')).toBeTruthy()
    await userEvent.type(box(), '{Enter}')
    expect(onSend).toHaveBeenCalledOnce()
  })

  it('removes characters that the API refuses', async () => {
    show()
    fireEvent.change(box(), { target: { value: 'a\0b\ud800c' } })
    await userEvent.type(box(), '{Enter}')
    expect(onSend).toHaveBeenCalledExactlyOnceWith('ab\ufffdc', [])
  })

  it('restores its draft after a reload, until it is sent', async () => {
    const first = show()
    await userEvent.type(box(), 'half a tho')
    first.unmount()
    show()
    expect(box().value).toBe('half a tho')
    await userEvent.type(box(), 'ught{Enter}')
    expect(onSend).toHaveBeenCalledExactlyOnceWith('half a thought', [])
    expect(localStorage.getItem(KEY)).toBeNull()
  })

  it('keeps the draft in the tab when localStorage is full', async () => {
    const setItem = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(function (this: Storage) {
      if (this === localStorage) throw new DOMException('full', 'QuotaExceededError')
    })
    const first = show()
    await userEvent.type(box(), 'kept')
    expect(setItem.mock.contexts).toContain(sessionStorage)
    setItem.mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    await userEvent.type(box(), ' all the same')
    first.unmount()
    show()
    expect(box().value).toBe('kept all the same')
    fireEvent.change(box(), { target: { value: '' } })
    setItem.mockRestore()
  })

  it('reports when typing starts and stops', async () => {
    const { unmount } = show()
    await userEvent.type(box(), 'a')
    expect(onTyping).toHaveBeenLastCalledWith(true)
    await userEvent.type(box(), '{Enter}')
    expect(onTyping).toHaveBeenLastCalledWith(false)
    await userEvent.type(box(), 'b')
    unmount()
    expect(onTyping).toHaveBeenLastCalledWith(false)
  })

  it('allows typing while a message is being sent', async () => {
    show({ sending: true })
    await userEvent.type(box(), 'more{Enter}')
    expect(onSend).toHaveBeenCalledOnce()
  })

  it('sends nothing that is refused, until the text changes', async () => {
    const refuse = vi.fn((message: string) => (message.includes('[') ? 'Fill in the name' : null))
    render(<Composer draftKey={KEY} onSend={onSend} onTyping={onTyping} sending={false} refuse={refuse} />)
    fireEvent.change(box(), { target: { value: '\n  Hi [name] ' } })
    expect(refuse).not.toHaveBeenCalled()
    await userEvent.type(box(), '{Enter}')
    expect(refuse).toHaveBeenCalledExactlyOnceWith('  Hi [name]')
    expect(onSend).not.toHaveBeenCalled()
    expect(screen.getByRole('alert').textContent).toBe('Fill in the name')
    expect(box().value).toBe('\n  Hi [name] ')

    fireEvent.change(box(), { target: { value: 'Hi Sam' } })
    expect(screen.getByRole('alert').textContent).toBe('')
    await userEvent.type(box(), '{Enter}')
    expect(onSend).toHaveBeenCalledExactlyOnceWith('Hi Sam', [])
  })

  it('leaves a key alone whose default others prevent', async () => {
    const handleKeyDown = vi.fn((event: KeyboardEvent) => event.preventDefault())
    const boxProps = { onKeyDown: handleKeyDown, 'aria-haspopup': 'listbox' } as const
    render(
      <Composer draftKey={KEY} onSend={onSend} onTyping={onTyping} sending={false} boxProps={boxProps}>
        <button type="button">Beside</button>
      </Composer>,
    )
    expect(box().getAttribute('aria-haspopup')).toBe('listbox')
    expect(screen.getByRole('button', { name: 'Beside' })).toBeTruthy()
    fireEvent.change(box(), { target: { value: 'hello' } })
    fireEvent.keyDown(box(), { key: 'Enter' })
    expect(handleKeyDown).toHaveBeenCalledOnce()
    expect(onSend).not.toHaveBeenCalled()
  })
})
