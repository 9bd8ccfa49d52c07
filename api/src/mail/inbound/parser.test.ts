import { describe, expect, it } from 'vitest'
import { readHead } from './parse-mail.ts'
import { readHeadInThread } from './parser.ts'

const mail = (head: string) => Buffer.from(`From: sam@example.org\r\n${head}\r\n\r\nbody`, 'latin1')
/** Each word is in a charset that must be guessed. */
const slow = Array.from({ length: 8_000 }, (_, index) => `=?x${index % 7}?Q?a=E9b=FFc=8D=A1?=`).join(' ')

describe('a long head of a mail', () => {
  it('keeps nothing waiting while it is read', async () => {
    const order: string[] = []
    const turn = new Promise<void>((resolve) => {
      setImmediate(() => {
        order.push('another event')
        resolve()
      })
    })
    const head = await readHeadInThread(mail(`To: ${slow}`))
    order.push('read')
    await turn
    expect([order, head?.from]).toEqual([['another event', 'read'], 'sam@example.org'])
  })

  it.each([
    ['encoded words', `Subject: ${slow.slice(0, 20_000)}`],
    ['raw bytes', 'To: \xe9\xa1\r\n'.repeat(2_000)],
    ['folded lines', `To: a@example.org${',\r\n b@example.org'.repeat(1_000)}`],
    ['few letters', 'Subject: Hello'],
    ['more than a mail may have', 'a: b\r\n'.repeat(50_000)],
  ])('of %s is read as a short one is', async (_, head) => {
    // A part of a larger buffer, as the mailbox hands it over.
    const raw = Buffer.concat([Buffer.from('before'), mail(head)]).subarray(6)
    expect(await readHeadInThread(raw)).toEqual(readHead(raw))
  })
})
