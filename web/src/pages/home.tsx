import { LiveChatButton } from '../components/live-chat-button.tsx'
import { home } from '../content/home.ts'
import { withBrand } from '../content/with-brand.ts'
import { useSiteConfig } from '../lib/site-config.ts'

export function HomePage() {
  const { brand } = useSiteConfig()
  const [heading, underlined] = home.heading
  return (
    <>
      <section className="sheet opening">
        <h1>
          {heading}{' '}
          <span className="pen-underlined">
            {underlined}
            <svg className="pen" viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true">
              <path d="M3 9.500C48 4.600 118 2.900 197 5.200 140 5.600 92 7.700 61 11.400" />
            </svg>
          </span>
        </h1>
        <p>{withBrand(home.lead, brand)}</p>
        <p className="pen-ticked">
          <svg className="pen" viewBox="0 0 48 44" aria-hidden="true">
            <path d="M3 25.500c5.200 3.300 9 7.900 11.800 15C21.500 24.500 31.500 11.500 45 3" />
          </svg>
          {withBrand(home.ticked, brand)}
        </p>
      </section>

      <section className="sheet" aria-labelledby="before-you-begin">
        <h2 id="before-you-begin">{home.figuresHeading}</h2>
        <p className="note">{home.figuresNote}</p>
        <dl className="figures">
          {home.figures.map(({ figure, text }) => (
            <div key={figure}>
              <dt>{figure}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>

      <section className="banner-lines" aria-labelledby="banner-heading">
        <div className="sheet banner">
          <h2 id="banner-heading">{home.banner.heading}</h2>
          <p>{withBrand(home.banner.text, brand)}</p>
          <LiveChatButton className="button" />
        </div>
      </section>
    </>
  )
}
