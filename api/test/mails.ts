interface MailOptions {
  from?: string
  to?: string
  subject?: string
  messageId?: string | null
  /** Null: the own server wrote no results. */
  dmarc?: string | null
  headers?: string[]
  body?: string
  type?: string
}

let count = 0

/** A mail as a server delivers it, by default verified and from sam@example.org. */
export function rawMail(options: MailOptions = {}): string {
  count += 1
  const { from = 'Sam <sam@example.org>', to = 'support@acme.example', subject = 'Re: hello' } = options
  const { messageId = `mail-${count}@example.org`, dmarc = 'dmarc=pass header.from=example.org' } = options
  const { headers = [], body = 'Hello', type = 'text/plain; charset=utf-8' } = options
  return [
    'Return-Path: <sam@example.org>',
    ...(dmarc === null ? [] : [`Authentication-Results: mx.acme.example; ${dmarc}`]),
    ...headers,
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...(messageId === null ? [] : [`Message-ID: <${messageId}>`]),
    'MIME-Version: 1.0',
    `Content-Type: ${type}`,
    '',
    body,
  ].join('\r\n')
}

/** The parts of a multipart body, each with its headers. */
export function parts(boundary: string, ...each: string[]): string {
  return `${each.map((part) => `--${boundary}\r\n${part}`).join('\r\n')}\r\n--${boundary}--\r\n`
}
