import { TextHtml } from '../components/text-html.tsx'
import { TextPage } from './text-page.tsx'

/** Shows a page with paragraphs under headings, all of them open. */
export function PolicyPage() {
  return (
    <TextPage<'privacy' | 'terms'>>
      {({ text }) => (
        <>
          <section className="sheet">
            <h1 data-text="heading">{text.heading}</h1>
            <p className="note" data-text="lead">
              {text.lead}
            </p>
          </section>
          {text.sections.map(({ id, html }, index) => (
            <TextHtml
              key={id}
              className="sheet policy"
              labelledBy={id}
              name={`sections.${index}.html`}
              html={html}
            />
          ))}
        </>
      )}
    </TextPage>
  )
}
