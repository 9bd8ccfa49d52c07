import { Ways } from '../components/ways.tsx'
import { contactCopy } from '../content/pages.ts'
import { ContactForm } from '../forms/contact-form.tsx'

export function ContactPage() {
  return (
    <section className="sheet form-sheet">
      <h1>{contactCopy.heading}</h1>
      <p className="note">{contactCopy.lead}</p>
      <div className="ask wide">
        <ContactForm action="/contact" titleMissing="Title is required" />
        <Ways />
      </div>
      <p className="note">{contactCopy.privacy}</p>
    </section>
  )
}
