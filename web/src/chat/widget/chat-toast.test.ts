// @vitest-environment jsdom

import { screen } from '@testing-library/react'
import { toast } from 'react-hot-toast/headless'
import { afterEach, expect, test } from 'vitest'
import { givePageState } from '../../testing/page-state.ts'
import { serveWords } from '../../testing/words.ts'
import { load } from '../language/language.ts'
import { chatToast } from './chat-toast.ts'

givePageState()
serveWords()

afterEach(async () => {
  toast.remove()
  await load()
})

const noteOf = async (message: string) => (await screen.findByText(message)).closest('.toast')

test('a toast is marked as in the language of the chat, its button too', async () => {
  await load('zh')
  chatToast('success', '对话已删除')
  expect((await noteOf('对话已删除'))?.getAttribute('lang')).toBe('zh')
  expect(screen.getByRole('button', { name: '关闭提示' })).toBeTruthy()
})

test('a toast in English has the language of the page', async () => {
  chatToast('success', 'Conversation erased')
  expect((await noteOf('Conversation erased'))?.hasAttribute('lang')).toBe(false)
  expect(screen.getByRole('button', { name: 'Dismiss' })).toBeTruthy()
})
