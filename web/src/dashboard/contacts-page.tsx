import { CONTACTS_PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { ContactList } from '@proctorpass/shared/schemas/contact'
import { PageHeading } from './ui/page-heading.tsx'
import { PagedList, usePagedList } from './ui/paged-list.tsx'
import './ui/content.css'

export function ContactsPage() {
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
