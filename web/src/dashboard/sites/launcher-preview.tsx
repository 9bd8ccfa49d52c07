import { contrast, iconColor } from '@proctorpass/shared/icon-color'
import type { SiteLook } from '@proctorpass/shared/schemas/site'

/** The contrast that WCAG demands for parts of controls. */
const CONTRAST_MIN = 3
const isColor = (color: string) => /^#[0-9a-f]{6}$/i.test(color)

/** Shows the launcher as a site shows it, on a light and on a dark page. */
export function LauncherPreview({ look }: { look: SiteLook }) {
  if (!isColor(look.color)) return null
  const icon = iconColor(look.color)
  return (
    <div className="launcher-preview">
      <p className="field-hint">Preview</p>
      <div className="launcher-pages" aria-hidden="true">
        {(['#ffffff', '#16181d'] as const).map((page) => (
          <div key={page} className="launcher-page" style={{ background: page }} data-side={look.side}>
            <span className="launcher-sample" style={{ background: look.color, color: icon }}>
              <svg
                aria-hidden="true"
                viewBox="0 0 24 24"
                width="24"
                height="24"
                fill="none"
                stroke="currentColor"
                strokeWidth="2"
              >
                <path d="M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5z" strokeLinejoin="round" />
              </svg>
              {look.label.en !== '' && <span>{look.label.en}</span>}
            </span>
          </div>
        ))}
      </div>
      <p className="field-hint" role="status">
        {contrastWords(look.color, icon)}
      </p>
    </div>
  )
}

function contrastWords(color: string, icon: string): string {
  const ofIcon = `The icon is ${icon === '#ffffff' ? 'white' : 'black'}, with a contrast of ${ratio(contrast(color, icon))}.`
  const weak = [
    ...(contrast(color, '#ffffff') < CONTRAST_MIN ? ['white'] : []),
    ...(contrast(color, '#16181d') < CONTRAST_MIN ? ['dark'] : []),
  ]
  if (contrast(color, icon) < CONTRAST_MIN)
    return `${ofIcon} That's too little contrast: use a color with at least 3:1.`
  if (weak.length === 0) return ofIcon
  return `${ofIcon} This color has too little contrast on ${weak.join(' and ')} pages (less than 3:1).`
}

const ratio = (value: number) => `${value.toFixed(1)}:1`
