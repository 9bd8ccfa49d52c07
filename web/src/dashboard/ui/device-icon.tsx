import { Monitor, Smartphone } from 'virtual:icons'
import { Icon } from '../../components/icon.tsx'

const PHONE = /\b(?:Android|iOS|iPhone|iPad)\b/

/** Draws the kind of a device that is named as in "Safari on iOS". */
export function DeviceIcon({ name }: { name: string }) {
  return <Icon of={PHONE.test(name) ? Smartphone : Monitor} />
}
