import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { TextKey } from '@proctorpass/shared/text-keys'
import { createContext } from 'react'
import type { ShownHours } from './site-config.ts'

export interface PreviewOptions {
  textKey: TextKey
  lang: string
  config: PublicConfig
  /** Undefined while the hours are unknown. */
  hours: ShownHours | undefined
}

/** A page in a frame. */
export interface PagePreview {
  /** Shows these fields of the text, whose HTML is sanitized. */
  show(fields: Record<string, unknown>): void
  unmount(): void
}

/** Renders a public page into a frame of the same origin. */
export type MountPreview = (frame: HTMLIFrameElement, options: PreviewOptions) => Promise<PagePreview>

/** The dashboard receives the public pages in this way, because they import the dashboard. */
export const PagePreviewContext = createContext<MountPreview | null>(null)
