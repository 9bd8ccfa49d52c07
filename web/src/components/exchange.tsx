import { home } from '../content/home.ts'
import { useSiteConfig } from '../lib/site-config.ts'

/** Shows a short chat as a picture, on a sheet of ruled paper. Nothing in it is a control. */
export function Exchange() {
  const { brand } = useSiteConfig()
  const { caption, visitor, messages } = home.exchange
  return (
    <figure className="exchange">
      <ol>
        {messages.map(({ isFromTeam, text }) => (
          <li key={text} data-team={isFromTeam || undefined}>
            <span className={isFromTeam ? 'exchange-author' : 'visually-hidden'}>
              {isFromTeam ? brand : visitor}
            </span>
            {isFromTeam && (
              <span className="exchange-initial" aria-hidden="true">
                {brand.slice(0, 1)}
              </span>
            )}
            <p className="exchange-bubble">{text}</p>
          </li>
        ))}
      </ol>
      <figcaption>{caption}</figcaption>
    </figure>
  )
}
