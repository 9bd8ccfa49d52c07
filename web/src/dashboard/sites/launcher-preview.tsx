import { contrast, iconColor } from '@proctorpass/shared/icon-color'
import { LAUNCHER_BUBBLE } from '@proctorpass/shared/launcher-bubble'
import type { SiteLook } from '@proctorpass/shared/schemas/site'
import { useEffect, useRef } from 'react'

/** The contrast that WCAG demands for parts of controls. */
const CONTRAST_MIN = 3
const isColor = (color: string) => /^#[0-9a-f]{6}$/i.test(color)

/** Shows the launcher as a site shows it, on a light and on a dark page. */
export function LauncherPreview({ look }: { look: SiteLook }) {
  if (!isColor(look.color)) return null
  const icon = iconColor(look.color)
  return (
    <div className="card launcher-preview">
      <h3>Preview</h3>
      <div className="launcher-pages" aria-hidden="true">
        {(['light', 'dark'] as const).map((page) => (
          <div key={page} className="launcher-page" data-page={page} data-side={look.side}>
            <svg
              className="launcher-lines"
              aria-hidden="true"
              viewBox="0 0 200 100"
              preserveAspectRatio="none"
            >
              <path d="M0 4h92" strokeWidth="9" />
              <path d="M0 26h200M0 42h156M0 58h184M0 74h120" strokeWidth="5" />
            </svg>
            <Launcher look={look} icon={icon} />
          </div>
        ))}
      </div>
      <p className="field-hint" role="status">
        {contrastWords(look.color, icon)}
      </p>
    </div>
  )
}

/** Draws the launcher as the loader draws it. */
function Launcher({ look: { color, label }, icon }: { look: SiteLook; icon: string }) {
  const launcher = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    launcher.current?.style.setProperty('background', color)
    launcher.current?.style.setProperty('color', icon)
  }, [color, icon])
  return (
    <span ref={launcher} className="launcher-sample">
      <svg aria-hidden="true" viewBox="0 0 24 24">
        <path d={LAUNCHER_BUBBLE} />
      </svg>
      {label.en !== '' && <span>{label.en}</span>}
    </span>
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
