import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { HTML } from '../http/cached-response.ts'

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 30rem; margin: 15vh auto 0; padding: 1.5rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
button { min-height: 2.75rem; padding: 0 1.25rem; font: inherit; font-weight: 600 }
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
