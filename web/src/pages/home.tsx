import { ArrowDown, ArrowRight, Clock } from 'virtual:icons'
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
import { home } from '../content/home.ts'
import { withBrand } from '../content/with-brand.ts'
import { ContactForm } from '../forms/contact-form.tsx'
import { useSiteConfig } from '../lib/site-config.ts'
import type { HomeData } from './home-data.ts'
import { useLastLoaded } from './use-last-loaded.ts'

export function HomePage() {
  const { brand } = useSiteConfig()
  const data = useLoaderData<HomeData>()
  const blogs = useLastLoaded(data.blogs, 'blogs')
  const reviews = useLastLoaded(data.reviews, 'reviews')
  return (
    <>
      <Opening stars={reviews?.stars} />

      <div className="band">
        <section className="sheet" aria-labelledby="how-it-works">
          <h2 id="how-it-works">{home.stepsHeading}</h2>
          <ol className="steps wide">
            {home.steps.map(({ title, text }) => (
              <li key={title}>
                <svg className="pen" viewBox="0 0 44 44" aria-hidden="true">
                  <path d="M33 7C21 1 7 7 4.500 19.500 2 32 11 41.500 23 40.500 34.500 39.500 41.500 30.500 40 20 38.500 11 31 4.500 19.500 5" />
                </svg>
                <h3>{title}</h3>
                <p>{text}</p>
              </li>
            ))}
          </ol>
        </section>
      </div>

      <section className="sheet" aria-labelledby="what-it-costs">
        <h2 id="what-it-costs">{home.pricesHeading}</h2>
        <Figures figures={home.prices} className="prices wide" />
        <p className="note">{home.pricesNote}</p>
        <More to="/faq#payment">{home.pricesMore}</More>
      </section>

      <div className="band">
        <section className="sheet" aria-labelledby="before-you-begin">
          <h2 id="before-you-begin">{home.figuresHeading}</h2>
          <p className="note">{home.figuresNote}</p>
          <Figures figures={home.figures} className="figures" />
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
        <h2 id="latest-blogs">{home.blogsHeading}</h2>
        <LatestBlogs list={blogs} />
        <More to="/blogs">{home.blogsAll}</More>
      </section>

      <section className="sheet" aria-labelledby="latest-reviews">
        <h2 id="latest-reviews">{home.reviewsHeading}</h2>
        <Average stars={reviews?.stars} />
        <LatestReviews list={reviews} />
        <More to="/reviews">{home.reviewsAll}</More>
      </section>

      <section className="sheet form-sheet" aria-labelledby="write-to-us">
        <h2 id="write-to-us">{home.formHeading}</h2>
        <p className="note">{home.formLead}</p>
        <div className="ask wide">
          <ContactForm action="/" titleMissing="title is required" />
          <Ways />
        </div>
      </section>

      <section className="banner-lines" aria-labelledby="banner-heading">
        <div className="sheet banner">
          <h2 id="banner-heading">{home.banner.heading}</h2>
          <p>{withBrand(home.banner.text, brand)}</p>
          <LiveChatButton className="button button-l" />
        </div>
      </section>
    </>
  )
}

type StarsOfAll = ReviewList['stars']

function Opening({ stars }: { stars: StarsOfAll }) {
  const { brand } = useSiteConfig()
  const [heading, underlined] = home.heading
  return (
    <section className="sheet opening">
      <div className="opening-columns wide">
        <div>
          <h1>
            {heading}{' '}
            <span className="pen-underlined">
              {underlined}
              <svg className="pen" viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true">
                <path d="M3 9.500C48 4.600 118 2.900 197 5.200 140 5.600 92 7.700 61 11.400" />
              </svg>
            </span>
          </h1>
          <p className="tagline">
            {home.tagline.map((line) => (
              <span key={line}>
                <span>{line} </span>
              </span>
            ))}
          </p>
          <p className="opening-ways">
            <LiveChatButton className="button button-primary button-l" />
            <Link to="/contact" className="button button-l">
              {home.contact}
            </Link>
            <a href="#blogs" className="more-link">
              {home.scrollDown}
              <Icon of={ArrowDown} />
            </a>
          </p>
          <div className="proof">
            <Average stars={stars} />
            <div>
              <Icon of={Clock} large />
              <ChatHours />
            </div>
          </div>
        </div>
        <Exchange />
        <div className="opening-more">
          <p>{withBrand(home.lead, brand)}</p>
          <p className="pen-ticked">
            <svg className="pen" viewBox="0 0 48 44" aria-hidden="true">
              <path d="M3 25.500c5.200 3.300 9 7.900 11.800 15C21.500 24.500 31.500 11.500 45 3" />
            </svg>
            {withBrand(home.ticked, brand)}
          </p>
        </div>
      </div>
    </section>
  )
}

function More({ to, children }: { to: string; children: string }) {
  return (
    <p>
      <Link to={to} className="more-link">
        {children}
        <Icon of={ArrowRight} />
      </Link>
    </p>
  )
}

interface FiguresProps {
  figures: readonly { figure: string; text: string }[]
  className: string
}

function Figures({ figures, className }: FiguresProps) {
  return (
    <dl className={className}>
      {figures.map(({ figure, text }) => (
        <div key={figure}>
          <dt>{figure}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Shows the average of real reviews. It renders nothing while there are only samples. */
function Average({ stars }: { stars: StarsOfAll }) {
  if (!stars) return null
  const average = Math.round(stars.average * 10) / 10
  return (
    <p className="average">
      <Stars star={average} />{' '}
      <Link to="/reviews">
        {average} of 5 from {stars.count} {stars.count === 1 ? 'review' : 'reviews'}
      </Link>
    </p>
  )
}

function LatestBlogs({ list }: { list: BlogList | null }) {
  if (!list) return <LoadError what="blog" />
  if (list.message) return <p className="list-message">{list.message}</p>
  return (
    <div className="wide post-grid">
      {list.blogs.map((post) => (
        <PostCard key={post.slug} post={post} heading="h3" sizes="(min-width: 30em) 20em, 6em" />
      ))}
    </div>
  )
}

function LatestReviews({ list }: { list: ReviewList | null }) {
  if (!list) return <LoadError what="reviews" />
  if (list.message) return <p className="list-message">{list.message}</p>
  return (
    <ul className="review-grid wide">
      {list.reviews.map((review) => (
        <li key={review._id}>
          <ReviewCard review={review} />
        </li>
      ))}
    </ul>
  )
}
