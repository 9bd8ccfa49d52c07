import type { ShownQuestion } from '@proctorpass/shared/page-text'
import { TextHtml } from '../components/text-html.tsx'
import { TextPage } from './text-page.tsx'

export function FaqPage() {
  return (
    <TextPage<'faq'>>
      {({ text, inEnglish }) => {
        const lang = inEnglish && 'en'
        return (
          <>
            <section className="sheet" lang={lang}>
              <h1 data-text="heading">{text.heading}</h1>
              <p className="note" data-text="lead">
                {text.lead}
              </p>
            </section>
            {text.groups.map(({ id, title, questions }, index) => (
              <section key={id} className="sheet questions" aria-labelledby={id}>
                <h2 id={id} lang={lang} data-text={`groups.${index}.title`}>
                  {title}
                </h2>
                <div>
                  {questions.map((question, place) => (
                    <Question
                      key={question.id}
                      question={question}
                      name={`groups.${index}.questions.${place}`}
                    />
                  ))}
                </div>
              </section>
            ))}
          </>
        )
      }}
    </TextPage>
  )
}

/** `name` is the question's place in the page's text. */
function Question({
  question: { id, question, html, lang },
  name,
}: {
  question: ShownQuestion
  name: string
}) {
  return (
    <details id={id} lang={lang}>
      <summary>
        <h3 data-text={`${name}.question`}>{question}</h3>
      </summary>
      <TextHtml className="prose" name={`${name}.html`} html={html} />
    </details>
  )
}
