import type { QuestionGroup } from '../content/markdown.ts'
import { useTrustedHtml } from '../lib/trusted-html.ts'

interface PolicyProps {
  heading: string
  lead: string
  groups: readonly QuestionGroup[]
}

/** Shows a page with paragraphs under headings, all of them open. */
export function PolicyPage({ heading, lead, groups }: PolicyProps) {
  return (
    <>
      <section className="sheet">
        <h1>{heading}</h1>
        <p className="note">{lead}</p>
      </section>
      {groups.map(({ id, title, questions }) => (
        <section key={id} className="sheet policy" aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          {questions.map(({ id, question, html }) => (
            <div key={id}>
              <h3 id={id}>{question}</h3>
              <Paragraphs html={html} />
            </div>
          ))}
        </section>
      ))}
    </>
  )
}

/** The HTML is compiled from our own Markdown. */
function Paragraphs({ html }: { html: string }) {
  return <div className="prose" dangerouslySetInnerHTML={useTrustedHtml(html)} />
}
