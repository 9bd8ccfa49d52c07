import { CONTACTS_PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { Contact, ContactList } from '@proctorpass/shared/schemas/contact'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router-dom'
import { RelativeTime } from '../chat/view/relative-clock.tsx'
import { callAsAdmin } from '../lib/session.ts'
import { LoadFailed } from './ui/load-failed.tsx'
import { Loading } from './ui/loading.tsx'
import { PageHeading } from './ui/page-heading.tsx'
import { PagedList, usePagedList } from './ui/paged-list.tsx'
import './ui/content.css'

export function ContactsPage() {
  const id = new URLSearchParams(useLocation().search).get('contact')
  return id === null ? <AllContacts /> : <OneContact id={id} />
}

/** The one that a search led to. */
function OneContact({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['contact', id],
    queryFn: ({ signal }) => callAsAdmin<Contact>(paths.contact(id), { signal }),
  })
  return (
    <section className="dashboard-page">
      <PageHeading>Contact</PageHeading>
      {error ? (
        <LoadFailed error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <dl className="contact-message">
          <dt>Email</dt>
          <dd>
            <a href={`mailto:${encodeURIComponent(data.email)}`}>{data.email}</a>
          </dd>
          <dt>Title</dt>
          <dd dir="auto">{data.title}</dd>
          <dt>Message</dt>
          <dd className="long-text" dir="auto">
            {data.message}
          </dd>
          <dt>Sent</dt>
          <dd>
            <RelativeTime iso={data.createdAt} />
          </dd>
        </dl>
      )}
      <p>
        <Link to="/dashboard/contacts">All contacts</Link>
      </p>
    </section>
  )
}

function AllContacts() {
  const contacts = usePagedList<ContactList>(['contacts'], paths.contacts, CONTACTS_PER_PAGE_DEFAULT)
  const before = (contacts.page - 1) * contacts.perPage
  return (
    <section className="dashboard-page">
      <PageHeading>Contacts</PageHeading>
      <PagedList
        label="Pages of contacts"
        list={contacts}
        whenEmpty={
          <>
            Messages from the <a href="/contact">contact form</a> appear here.
          </>
        }
      >
        {(data) => (
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Id</th>
                <th scope="col">Email</th>
                <th scope="col">Title</th>
                <th scope="col">Message</th>
              </tr>
            </thead>
            <tbody>
              {data.contacts.map(({ _id, email, title, message }, index) => (
                <tr key={_id}>
                  <td data-label="Id">{before + index + 1}</td>
                  <td data-label="Email">
                    <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
                  </td>
                  <td data-label="Title" dir="auto">
                    {title}
                  </td>
                  <td data-label="Message" className="long-text" dir="auto">
                    {message}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
    </section>
  )
}
