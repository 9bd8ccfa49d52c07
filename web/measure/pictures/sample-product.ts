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
  const product = await FreshProduct.start(env, {
    async fill(dataDir) {
      await fillSampleTeam(dataDir, now)
      await fillSampleWebsite(dataDir, now)
      await fillSampleHistory(dataDir, now)
      await fillSampleInbox(dataDir, now)
    },
  })
  await addIntegrations(product)
  const end = async () => {
    await product.dispose()
    await smtp.close()
  }
  return { product, end }
}

async function addIntegrations(product: FreshProduct): Promise<void> {
  const add = (path: string, fields: object) => product.callAsAdmin('POST', path, fields)
  await add('/keys', { name: 'Booking system', scopes: ['read', 'write'] })
  await add('/keys', { name: 'Statistics', scopes: ['read'] })
  // Names under `example` lead nowhere.
  const hooks = 'https://hooks.example'
  await add('/endpoints', { name: 'Customer records', url: `${hooks}/chat`, types: ['conversation.created'] })
  await add('/endpoints', { name: 'Team channel', url: `${hooks}/team`, types: [], notes: true })
}
