import { useState } from 'react'
import { useLoaderData } from 'react-router'
import { InThisArticle } from '../components/in-this-article.tsx'
import { PostDate } from '../components/post-card.tsx'
import { RelatedPosts } from '../components/related-posts.tsx'
import { dayStart } from '../content/articles.ts'
import { useTrustedHtml } from '../lib/trusted-html.ts'
import type { ArticleData } from './article-data.ts'
import { useLastLoaded } from './use-last-loaded.ts'

/** Shows an article that ships with the site. */
export function ArticlePage() {
  const { slug, article, related } = useLoaderData<ArticleData>()
  const { meta, headings, html } = article
  const shownRelated = useLastLoaded(related, 'related')
  return (
    <div className="article-page">
      <article className="sheet article">
        <h1>{meta.h1}</h1>
        <dl className="article-dates">
          <div>
            <dt>Written</dt>
            <dd>
              <PostDate iso={dayStart(meta.published)} />
            </dd>
          </div>
          <div>
            <dt>Checked</dt>
            <dd>
              <PostDate iso={dayStart(meta.updated)} />
            </dd>
          </div>
          <div>
            <dt>By</dt>
            <dd>{meta.author}</dd>
          </div>
        </dl>
        <p className="article-summary">{meta.summary}</p>
        <img
          className="article-drawing"
          src={`/images/posts/${meta.image}.svg`}
          alt={meta.imageAlt}
          width={1200}
          height={630}
        />
        <InThisArticle key={slug} headings={headings} />
        <Text key={`text-${slug}`} html={html} />
      </article>
      <RelatedPosts list={shownRelated} />
    </div>
  )
}

const TEXT_ID = 'article-text'

/** In a page that the server rendered, `html` is empty (`withoutText`), and the text is read from the document. */
function Text({ html }: { html: string }) {
  const [text] = useState(() => html || (document.getElementById(TEXT_ID)?.innerHTML ?? ''))
  // The HTML is compiled from our own Markdown.
  return <div id={TEXT_ID} className="prose" dangerouslySetInnerHTML={useTrustedHtml(text)} />
}
