import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { HTML } from './cached-response.ts'

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

/** A page's title and content as HTML, without anything from the request. */
interface PlainPage {
  status: number
  title: string
  content: string
}

/** Answers with a page that works without scripts, loads nothing, and is not stored. */
export function sendPlainPage(reply: FastifyReply, { status, title, content }: PlainPage): FastifyReply {
  return reply
    .code(status)
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
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
