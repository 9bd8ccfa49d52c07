import type { ComponentProps } from 'react'
import { Icon } from '../../components/icon.tsx'

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'className' | 'aria-label'> {
  /** The icon's path data, imported from `virtual:icons`. */
  icon: string
  /** The button's name. It says what the button changes, because lists have a button in each row. */
  label: string
  /** The tip beside the pointer. Without it, the tip is the name. */
  tip?: string
}

/** A small button that shows only an icon. */
export function IconButton({ icon, label, tip, ...props }: IconButtonProps) {
  return (
    <button type="button" className="icon-button icon-button-s" aria-label={label} data-tip={tip} {...props}>
      <Icon of={icon} />
    </button>
  )
}
