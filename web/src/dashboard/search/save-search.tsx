import { Bookmark, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { SAVED_SEARCH_FIELDS } from '@proctorpass/shared/fields/search'
import { SAVED_SEARCH_NAME_MAX } from '@proctorpass/shared/limits'
import type { NewSavedSearch, StoredSavedSearch } from '@proctorpass/shared/schemas/search'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { callAsAdmin } from '../../lib/session.ts'
import { FormDialog, TextField } from '../ui/admin-form.tsx'
import { SAVED_SEARCHES, savedAs, useSavedSearches } from '../ui/saved-searches.ts'
import { useCommands } from '../ui/shortcuts.ts'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { useDelete } from '../ui/use-delete.tsx'

/** Renders the button that saves a search, or deletes it if it is saved. */
export function SaveSearch({ search }: { search: URLSearchParams }) {
  const { data } = useSavedSearches()
  const saved = savedAs(data?.searches ?? [], search)
  const [isNaming, setNaming] = useState(false)
  const { ask, dialog } = useDelete({
    title: 'Delete this saved search?',
    question: 'It leaves your menu. Messages stay.',
    notice: 'Saved search deleted',
    list: SAVED_SEARCHES,
  })
  const action = saved
    ? { label: 'Delete saved search', icon: Trash2, run: () => ask(adminPaths.savedSearch(saved._id)) }
    : { label: 'Save search', icon: Bookmark, keys: 's', run: () => setNaming(true) }
  useCommands([action])

  return (
    <>
      <button
        type="button"
        className="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={saved ? undefined : 'S'}
        onClick={action.run}
      >
        <Icon of={action.icon} />
        {action.label}
      </button>
      {isNaming && <NameDialog search={search} onClose={() => setNaming(false)} />}
      {dialog}
    </>
  )
}

function NameDialog({ search, onClose }: { search: URLSearchParams; onClose: () => void }) {
  const queryClient = useQueryClient()
  const form = useAdminForm({
    defaultValues: { name: [...(search.get('q') ?? '')].slice(0, SAVED_SEARCH_NAME_MAX).join('') },
    async send({ name }) {
      const body: NewSavedSearch = { name, query: String(search) }
      const { message } = await callAsAdmin<StoredSavedSearch>(adminPaths.savedSearches, {
        method: 'POST',
        body,
      })
      await queryClient.invalidateQueries({ queryKey: SAVED_SEARCHES })
      onClose()
      return message
    },
  })
  return (
    <FormDialog title="Save search" form={form} submitLabel="Save" onClose={onClose}>
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="Only you see it, in your menu."
        rule={SAVED_SEARCH_FIELDS.name}
        type="text"
        dir="auto"
        autoComplete="off"
      />
    </FormDialog>
  )
}
