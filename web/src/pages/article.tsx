import type { PageWords } from '@proctorpass/shared/page-text'
import { useLoaderData } from 'react-router'
import { InThisArticle } from '../components/in-this-article.tsx'
import { PostDate } from '../components/post-card.tsx'
import { RelatedPosts } from '../components/related-posts.tsx'
import { TextHtml } from '../components/text-html.tsx'
import type { ArticleData } from './article-data.ts'
import { TextPage } from './text-page.tsx'
import { useLastLoaded } from './use-last-loaded.ts'

/** The English words of a release. */
const WORDS: PageWords = {
  ...{ written: 'Written', checked: 'Checked', by: 'By' },
  ...{ inThisArticle: 'In this article', show: 'Show', hide: 'Hide' },
}

/** Shows an article that ships with the site, or what admins wrote instead. */
export function ArticlePage() {
  const { slug, text, related } = useLoaderData<ArticleData>()
  const shownRelated = useLastLoaded(related, 'related')
  return (
    <div className="article-page">
      <TextPage<'article'>>
        {({ text, words = WORDS, lang }) => (
          <article className="sheet article">
            <h1 data-text="h1">{text.h1}</h1>
            <dl className="article-dates">
              <div>
                <dt>{words.written}</dt>
                <dd>
                  <PostDate iso={text.published} lang={lang === 'en' ? undefined : 'en'} />
                </dd>
              </div>
              <div>
                <dt>{words.checked}</dt>
                <dd>
                  <PostDate iso={text.updated} lang={lang === 'en' ? undefined : 'en'} />
                </dd>
              </div>
              <div>
                <dt>{words.by}</dt>
                <dd data-text="author">{text.author}</dd>
              </div>
            </dl>
            <p className="article-summary" data-text="summary">
              {text.summary}
            </p>
            <img
              className="article-drawing"
              data-text="imageAlt"
              src={text.image}
              alt={text.imageAlt}
              width={1200}
              height={630}
            />
            <InThisArticle key={slug} headings={text.headings} words={words} />
            <TextHtml key={`text-${slug}`} className="prose" name="html" html={text.html} />
          </article>
        )}
      </TextPage>
      <RelatedPosts list={shownRelated} lang={text && text.lang !== 'en' ? 'en' : undefined} />
    </div>
  )
}
