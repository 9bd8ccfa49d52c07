import { type ComponentProps, type ComponentType, useEffect, useEffectEvent, useState } from 'react'
import { toast } from '../../components/toast.ts'
import type { InboxMenu } from './inbox-menu.tsx'

type InboxMenuProps = ComponentProps<typeof InboxMenu>

let loaded: ComponentType<InboxMenuProps> | null = null

/** An InboxMenu, whose code is loaded with the first one. */
export function OnDemandMenu(props: InboxMenuProps) {
  const [Menu, setMenu] = useState(() => loaded)
  const load = useEffectEvent(async () => {
    try {
      loaded ??= (await import('./inbox-menu.tsx')).InboxMenu
      setMenu(() => loaded)
    } catch {
      toast.error("Couldn't load the menu. Try again.")
      props.onClose()
    }
  })
  useEffect(() => void load(), [])
  return Menu && <Menu {...props} />
}
