import { Check, CircleCheck, Reply, RotateCcw, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { CONTACTS_PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { ChangedContact, Contact, ContactChange, ContactList } from '@proctorpass/shared/schemas/contact'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from 'react-router'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { mailTo } from '../ui/mail-to.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList, usePagedList } from '../ui/paged-list.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import '../ui/content.css'
import './contacts.css'

/** The query key of the list and of each contact message. */
const CONTACTS = ['contacts']
const DELETION = {
  title: 'Delete this contact message?',
  question: "This can't be undone. Existing backups still contain it.",
  notice: 'Contact message deleted',
  list: CONTACTS,
}

export function ContactsPage() {
  const id = new URLSearchParams(useLocation().search).get('contact')
  return id === null ? <AllContacts /> : <OneContact id={id} />
}

/** Shows the contact message that a search led to. */
function OneContact({ id }: { id: string }) {
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery({
    queryKey: [...CONTACTS, id],
    queryFn: ({ signal }) => callAsAdmin<Contact>(adminPaths.contact(id), { signal }),
  })
  const deletion = useDelete({ ...DELETION, onDeleted: () => void navigate('/dashboard/contacts') })
  return (
    <section className="dashboard-page dashboard-page-narrow">
      <PageHeading
        actions={
          <Link className="button" to="/dashboard/contacts">
            All contact messages
          </Link>
        }
      >
        Contact message
      </PageHeading>
      {error ? (
        <LoadFailed error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <>
          <dl className="contact-message">
            <dt>Email</dt>
            <dd>
              <a href={mailTo(data.email)}>{data.email}</a>
            </dd>
            <dt>Title</dt>
            <dd dir="auto">{data.title}</dd>
            <dt>Message</dt>
            <dd className="long-text" dir="auto">
              {data.message}
            </dd>
            <dt>Sent</dt>
            <dd>
              <Sent contact={data} />
            </dd>
          </dl>
          <Actions contact={data} onDelete={() => deletion.ask(adminPaths.contact(id))} />
        </>
      )}
      {deletion.dialog}
    </section>
  )
}

function AllContacts() {
  const contacts = usePagedList<ContactList>(CONTACTS, paths.contacts, CONTACTS_PER_PAGE_DEFAULT)
  const before = (contacts.page - 1) * contacts.perPage
  const deletion = useDelete(DELETION)
  return (
    <section className="dashboard-page">
      <PageHeading>Contact messages</PageHeading>
      <PagedList
        label="Contact message pages"
        list={contacts}
        whenEmpty={
          <>
            Messages from the <a href="/contact">contact form</a> appear here.
          </>
        }
      >
        {(data) => (
          <table className="rows contact-rows">
            <thead>
              <tr>
                <th scope="col">Id</th>
                <th scope="col">Email</th>
                <th scope="col">Title</th>
                <th scope="col">Message</th>
                <th scope="col">Sent</th>
                <th scope="col">Action</th>
              </tr>
            </thead>
            <tbody>
              {data.contacts.map((contact, index) => (
                <tr key={contact._id} data-done={contact.doneAt !== null}>
                  <td data-label="Id">{before + index + 1}</td>
                  <td data-label="Email">
                    <span>
                      <a href={mailTo(contact.email)}>{contact.email}</a>
                    </span>
                  </td>
                  <td data-label="Title" dir="auto">
                    <Link
                      to={`/dashboard/contacts?contact=${encodeURIComponent(contact._id)}`}
                      className="contact-link"
                    >
                      {contact.title || 'No title'}
                    </Link>
                  </td>
                  <td data-label="Message" dir="auto">
                    {contact.message}
                  </td>
                  <td data-label="Sent">
                    <Sent contact={contact} />
                  </td>
                  <td data-label="Action" className="contact-buttons">
                    <RowActions
                      contact={contact}
                      onDelete={() => deletion.ask(adminPaths.contact(contact._id))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
      {deletion.dialog}
    </section>
  )
}

/** Says when the contact message was sent, and whether it is done. */
function Sent({ contact: { createdAt, doneAt } }: { contact: Contact }) {
  return (
    <span className="contact-sent">
      <RelativeTime iso={createdAt} />
      {doneAt !== null && (
        <span className="chip" data-tone="green">
          <Icon of={Check} />
          Done
        </span>
      )}
    </span>
  )
}

interface ActionsProps {
  contact: Contact
  onDelete: () => void
}

/** The words are for screen readers, because a row has room only for icons. */
function RowActions({ contact, onDelete }: ActionsProps) {
  const { toggle, isPending } = useDone(contact)
  const { email, doneAt } = contact
  const mark = doneAt === null ? 'Mark as done' : 'Mark as open'
  return (
    <>
      <a
        className="icon-button icon-button-s"
        href={replyTo(contact)}
        aria-label={`Reply to ${email}`}
        data-tip="Reply"
      >
        <Icon of={Reply} />
      </a>
      <IconButton
        icon={doneAt === null ? CircleCheck : RotateCcw}
        label={`${mark} the message of ${email}`}
        tip={mark}
        disabled={isPending}
        onClick={toggle}
      />
      <IconButton icon={Trash2} label={`Delete the message of ${email}`} tip="Delete" onClick={onDelete} />
    </>
  )
}

function Actions({ contact, onDelete }: ActionsProps) {
  const { toggle, isPending } = useDone(contact)
  const { email, doneAt } = contact
  const whose = <span className="visually-hidden">the message of {email}</span>
  return (
    <p className="contact-actions">
      <a className="button button-primary" href={replyTo(contact)}>
        <Icon of={Reply} />
        Reply <span className="visually-hidden">to {email}</span>
      </a>
      <button type="button" className="button" disabled={isPending} onClick={toggle}>
        <Icon of={doneAt === null ? CircleCheck : RotateCcw} />
        {doneAt === null ? 'Mark as done' : 'Mark as open'} {whose}
      </button>
      <button type="button" className="button button-quiet button-red" onClick={onDelete}>
        <Icon of={Trash2} />
        Delete {whose}
      </button>
    </p>
  )
}

function useDone({ _id, doneAt }: Contact) {
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (change: ContactChange) =>
      callAsAdmin<ChangedContact>(adminPaths.contact(_id), { method: 'PATCH', body: change }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: CONTACTS }),
    onError: (error) => toast.error(errorMessage(error)),
  })
  return { toggle: () => mutate({ done: doneAt === null }), isPending }
}

const replyTo = ({ email, title }: Contact) =>
  `${mailTo(email)}?subject=${encodeURIComponent(`Re: ${title}`)}`
