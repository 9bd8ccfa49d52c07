import { ImageUp, Trash2 } from 'virtual:icons'
import { facePath } from '@proctorpass/shared/account-paths'
import { UPLOAD_BYTES_MAX } from '@proctorpass/shared/limits'
import type { Account, Face } from '@proctorpass/shared/schemas/account'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { sendForm } from '../../lib/send-form.ts'
import { callAsAdmin, withToken } from '../../lib/session.ts'
import { prepareImage, readAsDataUrl } from '../posts/image-file.ts'
import { accountQuery } from '../ui/account.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Field } from '../ui/field.tsx'
import { TEAM } from '../ui/team.ts'

/** The command menu leads to this part of the account page's address. */
const HASH = '#picture'
const TYPES = ['image/jpeg', 'image/png', 'image/webp']
const HINT = `Choose, drop, or paste a JPG, PNG, or WebP of up to ${UPLOAD_BYTES_MAX / 1024 / 1024} MB. Its center is cut out as a square. Visitors see it while the settings show the team.`

/**
 * Takes an admin's picture and stores it at once. The native input covers the row, so that the browser itself takes a
 * click, a key, or a dropped file.
 */
export function FaceField({ account }: { account: Account }) {
  const { userId, userName, displayName, face } = account
  const { change, error, isPending, preview } = useFace()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  usePastedFile((file) => change(file))
  const { hash, key } = useLocation()
  useEffect(() => {
    // The key differs each time the command is chosen.
    if (key && hash === HASH) input.current?.focus()
  }, [hash, key])

  return (
    <Field label="Picture" hint={HINT} error={error}>
      {(shared) => (
        <div className="face-field" data-over={isOver} aria-busy={isPending}>
          <Avatar clientId={userId} name={displayName ?? userName} face={preview ?? face} />
          <span className="button button-s">
            <Icon of={ImageUp} />
            {face === null ? 'Choose a picture' : 'Change'}
          </span>
          <input
            {...shared}
            ref={input}
            type="file"
            accept={TYPES.join(',')}
            onDragEnter={() => setOver(true)}
            onDragLeave={() => setOver(false)}
            onDrop={() => setOver(false)}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              if (file) change(file)
              // The same file can be chosen again.
              currentTarget.value = ''
            }}
          />
          {face !== null && (
            <button
              type="button"
              className="button button-s button-quiet"
              onClick={() => {
                change(null)
                input.current?.focus()
              }}
            >
              <Icon of={Trash2} />
              Remove picture
            </button>
          )}
        </div>
      )}
    </Field>
  )
}

/** Stores a picture, or removes it, and shows the chosen one while it is sent. */
function useFace() {
  const queryClient = useQueryClient()
  const [preview, setPreview] = useState<string | null>(null)
  const { mutate, isPending, error } = useMutation({
    async mutationFn(file: File | null): Promise<Face> {
      if (file === null) return callAsAdmin<Face>(facePath, { method: 'DELETE' })
      const prepared = await prepareImage(file)
      if (typeof prepared === 'string') throw new Refusal(prepared)
      if (!TYPES.includes(prepared.type)) throw new Refusal(`${file.name} isn't a JPG, PNG, or WebP image.`)
      setPreview(await readAsDataUrl(prepared))
      const form = new FormData()
      form.append('file', prepared)
      return withToken((token) =>
        sendForm<Face>(facePath, form, { method: 'PUT', authorization: `Bearer ${token}` }),
      )
    },
    onSuccess({ face }) {
      queryClient.setQueryData(accountQuery.queryKey, (account) => account && { ...account, face })
      void queryClient.invalidateQueries({ queryKey: TEAM })
      toast.success(face === null ? 'Picture removed' : 'Picture changed')
    },
    onSettled: () => setPreview(null),
  })
  const problem = error instanceof Refusal ? error.message : error && errorMessage(error)
  // Nothing is disabled meanwhile, because that would take the focus.
  const change = (file: File | null) => !isPending && mutate(file)
  return { change, isPending, preview, error: problem ?? undefined }
}

/** Says why a file cannot be a picture. */
class Refusal extends Error {}

/** Takes an image that is pasted anywhere on the page, except in dialogs. */
function usePastedFile(onFile: (file: File) => void): void {
  const take = useEffectEvent((event: ClipboardEvent) => {
    const { target, clipboardData } = event
    if (clipboardData === null || !(target instanceof Element) || target.closest('dialog') !== null) return
    const file = [...clipboardData.files].find(({ type }) => type.startsWith('image/'))
    // Programs for texts and tables also put a picture of the text on the clipboard.
    if (file === undefined || clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    onFile(file)
  })
  useEffect(() => {
    const handlePaste = (event: ClipboardEvent) => take(event)
    document.addEventListener('paste', handlePaste)
    return () => document.removeEventListener('paste', handlePaste)
  }, [])
}
