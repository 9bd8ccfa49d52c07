import { Pencil, Plus, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { CannedReply } from '@proctorpass/shared/schemas/reply'
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useFormatting } from '../../chat/view/use-formatting.ts'
import { Icon } from '../../components/icon.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { matching, REPLIES, searchable, useReplies } from '../ui/replies.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { ReplyForm } from './reply-form.tsx'
import '../ui/content.css'
import './replies.css'

/** Lists all canned replies. Admins add, change, and delete them here. */
export function RepliesPage() {
  const { data, error, isPending, refetch } = useReplies()
  const [filter, setFilter] = useState('')
  const asked = useDeferredValue(filter)
  const all = useMemo(() => searchable(data?.replies ?? []), [data])
  const found = useMemo(() => matching(all, asked), [all, asked])
  /** `new` while an admin adds one. */
  const [edited, setEdited] = useState<CannedReply | 'new' | null>(null)
  const { ask, dialog } = useDelete({
    title: 'Delete this canned reply?',
    question: 'Your team can no longer insert it. Messages that contain it stay.',
    notice: 'Reply deleted',
    list: REPLIES,
  })
  const handleDelete = useCallback(({ _id }: CannedReply) => ask(adminPaths.reply(_id)), [ask])

  return (
    <section className="dashboard-page">
      <PageHeading
        actions={
          <button type="button" className="button button-primary" onClick={() => setEdited('new')}>
            <Icon of={Plus} />
            Add reply
          </button>
        }
      >
        Canned replies
      </PageHeading>
      {isPending && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data?.count === 0 && (
        <EmptyState message="No canned replies yet">
          Add an answer that you type often, such as a greeting. In a conversation, type <kbd>/</kbd> to
          insert it.
        </EmptyState>
      )}
      {data !== undefined && data.count > 0 && (
        <>
          <div className="canned-replies-filter field">
            <input
              type="search"
              aria-label="Filter canned replies"
              placeholder="Filter by shortcut or words"
              autoComplete="off"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
            <p className="field-hint" role="status">
              {countText(found.length, data.count)}
            </p>
          </div>
          <ReplyRows replies={found} onEdit={setEdited} onDelete={handleDelete} />
        </>
      )}
      {edited !== null && (
        <ReplyForm reply={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
      {dialog}
    </section>
  )
}

function countText(found: number, count: number): string {
  const all = count === 1 ? '1 reply' : `${count} replies`
  return found === count ? all : `${found} of ${all}`
}

interface ReplyRowsProps {
  replies: readonly CannedReply[]
  onEdit: (reply: CannedReply) => void
  onDelete: (reply: CannedReply) => void
}

/** The rows do not render again while an admin types into the filter. */
const ReplyRows = memo(function ReplyRows({ replies, onEdit, onDelete }: ReplyRowsProps) {
  return (
    <ul className="canned-replies-list">
      {replies.map((reply) => (
        <ReplyRow key={reply._id} reply={reply} onEdit={onEdit} onDelete={onDelete} />
      ))}
    </ul>
  )
})

interface ReplyRowProps {
  reply: CannedReply
  onEdit: (reply: CannedReply) => void
  onDelete: (reply: CannedReply) => void
}

const ReplyRow = memo(function ReplyRow({ reply, onEdit, onDelete }: ReplyRowProps) {
  const formatting = useFormatting(reply.text)
  return (
    <li>
      <h2>/{reply.shortcut}</h2>
      <p className="canned-reply-text" dir="auto">
        {formatting?.withoutMarks(reply.text) ?? reply.text}
      </p>
      <p className="canned-reply-actions">
        <IconButton
          icon={Pencil}
          label={`Edit /${reply.shortcut}`}
          tip="Edit"
          onClick={() => onEdit(reply)}
        />
        <IconButton
          icon={Trash2}
          label={`Delete /${reply.shortcut}`}
          tip="Delete"
          onClick={() => onDelete(reply)}
        />
      </p>
    </li>
  )
})
