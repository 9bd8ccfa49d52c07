/** The body of a post. `html` has been through the server's allow-list: the one place where HTML from it is trusted. */
export function PostContent({ html }: { html: string }) {
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
}
