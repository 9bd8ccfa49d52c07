import groups from '../content/faq.md?questions'
import { useTrustedHtml } from '../lib/trusted-html.ts'

export function FaqPage() {
  return (
    <>
      <section className="sheet">
        <h1>Questions and answers</h1>
        <p className="note">
          Short answers about booking, payment, exam day, and what we don't do. If yours isn't here, ask in
          the chat.
        </p>
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
                <Answer html={html} />
              </details>
            ))}
          </div>
        </section>
      ))}
    </>
  )
}

/** The HTML is compiled from our own Markdown. */
function Answer({ html }: { html: string }) {
  return <div className="prose" dangerouslySetInnerHTML={useTrustedHtml(html)} />
}
