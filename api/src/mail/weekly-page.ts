import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { HTML } from '../http/cached-response.ts'

/** The page loads nothing, so it repeats some values of the web's `styles/tokens.css`. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f3f6f4; --leaf: #ffffff; --rule: #e1e7e4; --ink: #131a16; --ink-soft: #47534c;
  --green-fill: #0a6e39; --green-fill-hover: #085a2e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0c100e; --leaf: #141917; --rule: #252d29; --ink: #e8eeea; --ink-soft: #b1bbb5;
    --green-fill: #1b7a45; --green-fill-hover: #18703f;
  }
}
body { margin: 0; padding: 10vh 1rem 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 0 auto; padding: 1.5rem; border: 1px solid var(--rule);
  border-radius: 0.75rem; background: var(--leaf) }
h1 { margin: 0; font-size: 1.25rem; line-height: 1.3 }
p { margin: 0.5rem 0 0; color: var(--ink-soft) }
button { min-height: 2.75rem; margin-top: 1.25rem; padding: 0 1.25rem; border: 1px solid transparent;
  border-radius: 0.5rem; background: var(--green-fill); color: #ffffff; font: inherit; font-weight: 600;
  cursor: pointer }
button:hover { background: var(--green-fill-hover) }
button:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px }
`
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page's title, and its content as HTML without anything from the request. */
interface LinkPage {
  status: number
  title: string
  content: string
}

/** Asks for a press, because mail programs open links to check them. The form sends what RFC 8058 wants. */
export const ASK_PAGE: LinkPage = {
  status: 200,
  title: 'Unsubscribe from the weekly email?',
  content: `<p>You can turn it on again in your account.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>Unsubscribe</button>
</form>`,
}
export const DONE_PAGE: LinkPage = {
  status: 200,
  title: "You're unsubscribed",
  content: "<p>You won't get the weekly email anymore. You can turn it on again in your account.</p>",
}
export const UNKNOWN_PAGE: LinkPage = {
  status: 404,
  title: 'This link is unknown',
  content: '<p>You can turn off the weekly email in your account.</p>',
}

/** Answers with a page that works without scripts and loads nothing. */
export function sendLinkPage(reply: FastifyReply, { status, title, content }: LinkPage): FastifyReply {
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      // The address has the token.
      'referrer-policy': 'no-referrer',
      vary: 'accept',
    })
    .type(HTML)
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`)
}
