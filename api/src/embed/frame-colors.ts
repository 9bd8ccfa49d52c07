import type { FrameSite } from '@proctorpass/shared/embed'
import { iconColor, mix, textColor } from '@proctorpass/shared/icon-color'

/** The panel's ground in light and in dark: `--leaf` in `tokens.css`. */
const LEAF = { light: '#ffffff', dark: '#141917' }
const HOVER = 0.15

/**
 * Returns the custom properties with which a frame shows a site's color instead of green. Words on the color and in the
 * color have a contrast of at least 4.5:1.
 */
export function frameColors(color: string): FrameSite['colors'] {
  const words = iconColor(color)
  return {
    '--green-fill': color,
    '--green-fill-hover': mix(color, iconColor(words), HOVER),
    '--on-green': words,
    '--site-on-light': textColor(color, LEAF.light),
    '--site-on-dark': textColor(color, LEAF.dark),
  }
}
