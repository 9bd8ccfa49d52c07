import { type ComponentType, useEffect, useEffectEvent, useState } from 'react'
import { toast } from '../../components/toast.ts'

/**
 * Returns a component whose code is loaded when it is first rendered. `onFailed` is called if the code could not be
 * loaded, which a notice says.
 */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | null = null

  return function OnDemand({ onFailed, ...props }: Props & { onFailed: () => void }) {
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
}
