import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Site, SiteList } from '@proctorpass/shared/schemas/site'
import { Widget } from '../../e2e/embed-hosts.ts'
import type { Scene } from './studio.ts'

const STYLES = `
  body { margin: 0; font: 17px/1.6 Georgia, serif; color: #222; background: #fffdf8 }
  header { background: #1c3d6e; color: #fff; padding: 20px 8% }
  main { padding: 32px 8%; max-width: 44rem }
  h1 { font-size: 2rem }
  @media (prefers-color-scheme: dark) { body { background: #14171c; color: #ddd } }`

const ADDRESS = 'https://tutors.example.com'

const PAGE = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
  <meta name="color-scheme" content="light dark"><title>Example Tutors</title><style>${STYLES}</style>
  <header>Example Tutors</header>
  <main><h1>Lessons for your exam, at home</h1>
  <p>Our tutors prepare you for exams in biology, chemistry and statistics.</p>
  <p>A first lesson takes half an hour and costs nothing. You choose the day.</p></main>`

/** Opens a page of another website, with the chat in it. `localhost` is another origin than the product's 127.0.0.1. */
export async function openOnSite({ page, product }: Scene, isOpen: boolean): Promise<void> {
  let tag = ''
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(PAGE + tag)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  page.once('close', () => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const site = await changeAddresses(product, [ADDRESS, origin])
  tag = `<script async src="${product.origin}/embed/${site._id}.js"></script>`
  await page.goto(origin)
  const widget = new Widget(page)
  const deadline = Date.now() + 10_000
  while ((await widget.launcher()) === null && Date.now() < deadline) await page.waitForTimeout(100)
  if (!isOpen) return
  await widget.press()
  await widget.opened()
}

/** Removes the page's address from the site, which the dashboard's pictures show. */
export async function leaveSite(product: Scene['product']): Promise<void> {
  await changeAddresses(product, [ADDRESS])
}

async function changeAddresses(product: Scene['product'], origins: readonly string[]): Promise<Site> {
  const { sites } = await product.callAsAdmin<SiteList>('GET', '/sites')
  const [first] = sites
  if (first === undefined) throw new Error('The sample data has no website.')
  const change = { origins, version: first.version }
  const { data } = await product.callAsAdmin<{ data: Site }>('PATCH', `/sites/${first._id}`, change)
  return data
}
