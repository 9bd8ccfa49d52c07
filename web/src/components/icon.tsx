interface IconProps {
  /** The icon's path data, imported from `virtual:icons`. */
  of: string
  /** True for 20 px instead of 16 px. */
  large?: boolean
}

/** Draws a decorative icon. The words are in the element that holds it. */
export function Icon({ of, large }: IconProps) {
  return (
    <svg className={large ? 'icon icon-l' : 'icon'} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={of} />
    </svg>
  )
}
