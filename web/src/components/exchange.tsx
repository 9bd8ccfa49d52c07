import type { ShownTexts } from '@proctorpass/shared/page-text'
import { useSiteConfig } from '../lib/site-config.ts'

/** Shows a short chat as a picture, on a sheet of ruled paper. Nothing in it is a control. */
export function Exchange({ exchange }: Pick<ShownTexts['home'], 'exchange'>) {
  const { brand } = useSiteConfig()
  const { caption, visitor, messages } = exchange
  return (
    <figure className="exchange">
      <ol>
        {messages.map(({ isFromTeam, text }, index) => (
          <li key={text} data-team={isFromTeam || undefined}>
            {isFromTeam ? (
              <span className="exchange-author">{brand}</span>
            ) : (
              <span className="visually-hidden" data-text="exchange.visitor">
                {visitor}
              </span>
            )}
            {isFromTeam && (
              <span className="exchange-initial" aria-hidden="true">
                {brand.slice(0, 1)}
              </span>
            )}
            <p className="exchange-bubble" data-text={`exchange.messages.${index}.text`}>
              {text}
            </p>
          </li>
        ))}
      </ol>
      <figcaption data-text="exchange.caption">{caption}</figcaption>
    </figure>
  )
}
