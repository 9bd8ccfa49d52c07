import { Ways } from '../components/ways.tsx'
import { ContactForm } from '../forms/contact-form.tsx'
import { TextPage } from './text-page.tsx'

export function ContactPage() {
  return (
    <TextPage<'contact'>>
      {({ text }) => (
        <section className="sheet form-sheet">
          <h1 data-text="heading">{text.heading}</h1>
          <p className="note" data-text="lead">
            {text.lead}
          </p>
          <div className="ask wide">
            <ContactForm action="/contact" titleMissing="Title is required" />
            <Ways />
          </div>
          <p className="note" data-text="privacy">
            {text.privacy}
          </p>
        </section>
      )}
    </TextPage>
  )
}
