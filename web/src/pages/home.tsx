import { ArrowDown, ArrowRight, Clock } from 'virtual:icons'
import type { ShownTexts } from '@proctorpass/shared/page-text'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import type { ReviewList } from '@proctorpass/shared/schemas/review'
import { Link, useLoaderData } from 'react-router'
import { ChatHours } from '../components/chat-hours.tsx'
import { Exchange } from '../components/exchange.tsx'
import { Icon } from '../components/icon.tsx'
import { LiveChatButton } from '../components/live-chat-button.tsx'
import { LoadError } from '../components/load-error.tsx'
import { PostCard } from '../components/post-card.tsx'
import { ReviewCard, Stars } from '../components/review-card.tsx'
import { Ways } from '../components/ways.tsx'
import { ContactForm } from '../forms/contact-form.tsx'
import type { HomeData } from './home-data.ts'
import { TextPage } from './text-page.tsx'
import { useLastLoaded } from './use-last-loaded.ts'

type Home = ShownTexts['home']

export function HomePage() {
  return <TextPage<'home'>>{({ text }, lang) => <Home home={text} lang={lang} />}</TextPage>
}

/** `lang` is the language of lists and forms, if the page has another one. */
function Home({ home, lang }: { home: Home; lang: string | undefined }) {
  const data = useLoaderData<HomeData>()
  const blogs = useLastLoaded(data.blogs, 'blogs')
  const reviews = useLastLoaded(data.reviews, 'reviews')
  return (
    <>
      <Opening home={home} stars={reviews?.stars} lang={lang} />

      <div className="band">
        <section className="sheet" aria-labelledby="how-it-works">
          <h2 id="how-it-works" data-text="stepsHeading">
            {home.stepsHeading}
          </h2>
          <ol className="steps wide">
            {home.steps.map(({ title, text }, index) => (
              <li key={title}>
                <svg className="pen" viewBox="0 0 44 44" aria-hidden="true">
                  <path d="M33 7C21 1 7 7 4.500 19.500 2 32 11 41.500 23 40.500 34.500 39.500 41.500 30.500 40 20 38.500 11 31 4.500 19.500 5" />
                </svg>
                <h3 data-text={`steps.${index}.title`}>{title}</h3>
                <p data-text={`steps.${index}.text`}>{text}</p>
              </li>
            ))}
          </ol>
        </section>
      </div>

      <section className="sheet" aria-labelledby="what-it-costs">
        <h2 id="what-it-costs" data-text="pricesHeading">
          {home.pricesHeading}
        </h2>
        <Figures figures={home.prices} name="prices" className="prices wide" />
        <p className="note" data-text="pricesNote">
          {home.pricesNote}
        </p>
        <More to="/faq#payment" name="pricesMore">
          {home.pricesMore}
        </More>
      </section>

      <div className="band">
        <section className="sheet" aria-labelledby="before-you-begin">
          <h2 id="before-you-begin" data-text="figuresHeading">
            {home.figuresHeading}
          </h2>
          <p className="note" data-text="figuresNote">
            {home.figuresNote}
          </p>
          <Figures figures={home.figures} name="figures" className="figures" />
          <img
            className="begin-drawing"
            src="/images/rehearsal.svg"
            alt=""
            loading="lazy"
            width={640}
            height={720}
          />
        </section>
      </div>

      <section className="sheet" id="blogs" aria-labelledby="latest-blogs">
        <h2 id="latest-blogs" data-text="blogsHeading">
          {home.blogsHeading}
        </h2>
        <LatestBlogs list={blogs} lang={lang} />
        <More to="/blogs" name="blogsAll">
          {home.blogsAll}
        </More>
      </section>

      <section className="sheet" aria-labelledby="latest-reviews">
        <h2 id="latest-reviews" data-text="reviewsHeading">
          {home.reviewsHeading}
        </h2>
        <Average stars={reviews?.stars} lang={lang} />
        <LatestReviews list={reviews} lang={lang} />
        <More to="/reviews" name="reviewsAll">
          {home.reviewsAll}
        </More>
      </section>

      <section className="sheet form-sheet" aria-labelledby="write-to-us">
        <h2 id="write-to-us" data-text="formHeading">
          {home.formHeading}
        </h2>
        <p className="note" data-text="formLead">
          {home.formLead}
        </p>
        <div className="ask wide" lang={lang}>
          <ContactForm action="/" titleMissing="title is required" />
          <Ways />
        </div>
      </section>

      <section className="banner-lines" aria-labelledby="banner-heading">
        <div className="sheet banner">
          <h2 id="banner-heading" data-text="banner.heading">
            {home.banner.heading}
          </h2>
          <p data-text="banner.text">{home.banner.text}</p>
          <LiveChatButton className="button button-l" lang={lang} />
        </div>
      </section>
    </>
  )
}

interface ListProps<List> {
  list: List | null
  lang: string | undefined
}

interface StarsProps {
  stars: ReviewList['stars']
  lang: string | undefined
}

/** The heading's last part is underlined. */
function Opening({ home, stars, lang }: { home: Home } & StarsProps) {
  const parts = home.heading
  return (
    <section className="sheet opening">
      <div className="opening-columns wide">
        <div>
          <h1>
            {parts.slice(0, -1).map((part, index) => (
              <span key={part} data-text={`heading.${index}`}>
                {part}{' '}
              </span>
            ))}
            <span className="pen-underlined" data-text={`heading.${parts.length - 1}`}>
              {parts.at(-1)}
              <svg className="pen" viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true">
                <path d="M3 9.500C48 4.600 118 2.900 197 5.200 140 5.600 92 7.700 61 11.400" />
              </svg>
            </span>
          </h1>
          <p className="tagline">
            {home.tagline.map((line, index) => (
              <span key={line}>
                <span data-text={`tagline.${index}`}>{line} </span>
              </span>
            ))}
          </p>
          <p className="opening-ways">
            <LiveChatButton className="button button-primary button-l" lang={lang} />
            <Link to="/contact" className="button button-l" data-text="contact">
              {home.contact}
            </Link>
            <a href="#blogs" className="more-link" data-text="scrollDown">
              {home.scrollDown}
              <Icon of={ArrowDown} />
            </a>
          </p>
          <div className="proof" lang={lang}>
            <Average stars={stars} lang={lang} />
            <div>
              <Icon of={Clock} large />
              <ChatHours />
            </div>
          </div>
        </div>
        <Exchange exchange={home.exchange} />
        <div className="opening-more">
          <p data-text="lead">{home.lead}</p>
          <p className="pen-ticked" data-text="ticked">
            {home.ticked}
            <svg className="pen" viewBox="0 0 48 44" aria-hidden="true">
              <path d="M3 25.500c5.200 3.300 9 7.900 11.800 15C21.500 24.500 31.500 11.500 45 3" />
            </svg>
          </p>
        </div>
      </div>
    </section>
  )
}

/** `name` is the word's place in the page's text. */
function More({ to, name, children }: { to: string; name: string; children: string }) {
  return (
    <p>
      <Link to={to} className="more-link" data-text={name}>
        {children}
        <Icon of={ArrowRight} />
      </Link>
    </p>
  )
}

interface FiguresProps {
  figures: readonly { figure: string; text: string }[]
  /** The list's place in the page's text. */
  name: string
  className: string
}

function Figures({ figures, name, className }: FiguresProps) {
  return (
    <dl className={className}>
      {figures.map(({ figure, text }, index) => (
        <div key={figure}>
          <dt data-text={`${name}.${index}.figure`}>{figure}</dt>
          <dd data-text={`${name}.${index}.text`}>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Shows the average of real reviews. It renders nothing while there are only samples. */
function Average({ stars, lang }: StarsProps) {
  if (!stars) return null
  const average = Math.round(stars.average * 10) / 10
  return (
    <p className="average" lang={lang}>
      <Stars star={average} />{' '}
      <Link to="/reviews">
        {average} of 5 from {stars.count} {stars.count === 1 ? 'review' : 'reviews'}
      </Link>
    </p>
  )
}

function LatestBlogs({ list, lang }: ListProps<BlogList>) {
  if (!list) return <LoadError what="blog" />
  if (list.message)
    return (
      <p className="list-message" lang={lang}>
        {list.message}
      </p>
    )
  return (
    <div className="wide post-grid" lang={lang}>
      {list.blogs.map((post) => (
        <PostCard key={post.slug} post={post} heading="h3" sizes="(min-width: 30em) 20em, 6em" />
      ))}
    </div>
  )
}

function LatestReviews({ list, lang }: ListProps<ReviewList>) {
  if (!list) return <LoadError what="reviews" />
  if (list.message)
    return (
      <p className="list-message" lang={lang}>
        {list.message}
      </p>
    )
  return (
    <ul className="review-grid wide" lang={lang}>
      {list.reviews.map((review) => (
        <li key={review._id}>
          <ReviewCard review={review} />
        </li>
      ))}
    </ul>
  )
}
