import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { createRef } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { ConversationAttachments } from '../../engine/attachments.ts'
import type { AttachedFiles } from '../use-attach.tsx'
import { AttachButton } from './attach-button.tsx'

const kept = {
  keep: async () => {},
  kept: async () => null,
  forget: async () => {},
} as unknown as ConversationAttachments

beforeEach(() => sessionStorage.clear())

test('files that could not be attached are kept, and a press tries again', async () => {
  const openAttachments = vi
    .fn(async () => kept)
    .mockRejectedValueOnce(new TypeError('offline'))
    .mockRejectedValueOnce(new TypeError('offline'))
  const { container } = render(
    <AttachButton openAttachments={openAttachments} notice="" draftKey="draft:visitor" ref={null} />,
  )
  const input = container.querySelector('input') as HTMLInputElement
  const handlePicker = vi.spyOn(input, 'click')
  const file = new File(['%PDF-1.7\n%%EOF\n'], 'plan.pdf', { type: 'application/pdf' })
  fireEvent.change(input, { target: { files: [file] } })
  await screen.findByRole('alert')

  const button = screen.getByRole('button', { name: 'Attach a file' })
  await userEvent.click(button)
  await waitFor(() => expect(openAttachments).toHaveBeenCalledTimes(2))
  expect(await screen.findByText(/^Files can't be attached right now/)).toBeTruthy()
  await userEvent.click(button)
  expect(await screen.findByText('plan.pdf')).toBeTruthy()
  expect(screen.queryByText(/^Files can't be attached right now/)).toBeNull()
  expect(handlePicker).not.toHaveBeenCalled()
  await userEvent.click(button)
  expect(handlePicker).toHaveBeenCalledOnce()
  expect(screen.getAllByText('plan.pdf')).toHaveLength(1)
})

test('a message waits for a file that was chosen and is not in the tray yet', async () => {
  const { promise, resolve } = Promise.withResolvers<ConversationAttachments>()
  const attached = createRef<AttachedFiles>()
  const { container } = render(
    <AttachButton openAttachments={() => promise} notice="" draftKey="draft:other" ref={attached} />,
  )
  expect(attached.current?.files()).toEqual([])
  const input = container.querySelector('input') as HTMLInputElement
  const file = new File(['%PDF-1.7\n%%EOF\n'], 'plan.pdf', { type: 'application/pdf' })
  fireEvent.change(input, { target: { files: [file] } })
  expect(attached.current?.files()).toMatch(/wait/i)
  resolve(kept)
  await waitFor(() => expect(attached.current?.files()).toMatchObject([{ name: 'plan.pdf' }]))
})
