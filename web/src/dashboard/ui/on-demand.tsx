import { type ComponentType, useEffect, useEffectEvent, useState } from 'react'
import { toast } from '../../components/toast.ts'

/**
 * Returns a component whose code is loaded when it is first rendered, or by `preload`, so that keys which follow at once
 * find it. `onFailed` is called if the code could not be loaded, which a notice says.
 */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | null = null

  function OnDemand({ onFailed, ...props }: Props & { onFailed: () => void }) {
    const [Loaded, setLoaded] = useState(() => loaded)
    const loadOnce = useEffectEvent(async () => {
      try {
        loaded ??= await load()
        setLoaded(() => loaded)
      } catch {
        toast.error("This couldn't be loaded. Try again.")
        onFailed()
      }
    })
    useEffect(() => void loadOnce(), [])
    return Loaded && <Loaded {...(props as unknown as Props)} />
  }

  /** A failure shows when the component is rendered. */
  async function preload(): Promise<void> {
    loaded ??= await load().catch(() => null)
  }

  return Object.assign(OnDemand, { preload })
}
