import { startSmtpServer } from '../../../api/test/smtp-server.ts'
import { FreshProduct } from '../../e2e/product.ts'
import { fillSampleHistory } from '../sample-history.ts'
import { fillSampleInbox } from '../sample-inbox.ts'
import { fillSampleTeam } from '../sample-team.ts'
import { fillSampleWebsite } from '../sample-website.ts'

/** Starts the product with the content of a business that has used it for weeks, and a server for its mails. */
export async function startSampleProduct(): Promise<{ product: FreshProduct; end: () => Promise<void> }> {
  const smtp = await startSmtpServer()
  const env = { RATE_LIMITS: 'off', SMTP_URL: smtp.url, MAIL_FROM: 'ProctorPass <support@example.com>' }
  const now = Date.now()
  const product = await FreshProduct.start(env, async (dataDir) => {
    await fillSampleTeam(dataDir, now)
    await fillSampleWebsite(dataDir, now)
    await fillSampleHistory(dataDir, now)
    await fillSampleInbox(dataDir, now)
  })
  const end = async () => {
    await product.dispose()
    await smtp.close()
  }
  return { product, end }
}
