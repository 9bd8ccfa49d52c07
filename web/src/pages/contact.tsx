import { ChatHours } from '../components/chat-hours.tsx'
import { SupportMail } from '../components/support-mail.tsx'
import { contactCopy } from '../content/pages.ts'
import { ContactForm } from '../forms/contact-form.tsx'

export function ContactPage() {
  return (
    <section className="sheet form-sheet">
      <h1>{contactCopy.heading}</h1>
      <p className="note">{contactCopy.lead}</p>
      <ContactForm action="/contact" titleMissing="Title is required" />
      <p className="note">
        {contactCopy.mail} <SupportMail />. {contactCopy.privacy}
      </p>
      <ChatHours className="note" />
    </section>
  )
}
