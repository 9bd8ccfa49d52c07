import groups from '../content/faq.md?questions'
import { faqCopy } from '../content/pages.ts'

export function FaqPage() {
  return (
    <>
      <section className="sheet">
        <h1>{faqCopy.heading}</h1>
        <p className="note">{faqCopy.lead}</p>
      </section>
      {groups.map(({ id, title, questions }) => (
        <section key={id} className="sheet questions" aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          <div>
            {questions.map(({ id, question, html }) => (
              <details key={id} id={id}>
                <summary>
                  <h3>{question}</h3>
                </summary>
                <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
              </details>
            ))}
          </div>
        </section>
      ))}
    </>
  )
}
