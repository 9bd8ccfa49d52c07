import { createContext, type ReactNode, useContext, useState } from 'react'
import { createPortal } from 'react-dom'
import { PageHeading } from '../ui/page-heading.tsx'
import './posts.css'

const HeadPlace = createContext<HTMLElement | null>(null)

/** Shows a page that edits a post. Its form puts the button into the page's head, where it is always in reach. */
export function PostPage({ heading, children }: { heading: string; children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null)
  return (
    <section className="dashboard-page post-page">
      <PageHeading actions={<div className="post-head" ref={setPlace} />}>{heading}</PageHeading>
      <HeadPlace value={place}>{children}</HeadPlace>
    </section>
  )
}

/** Renders its children beside the page's name. */
export function InPostHead({ children }: { children: ReactNode }) {
  const place = useContext(HeadPlace)
  return place && createPortal(children, place)
}
