import { TIME_ZONE_MAX } from './limits.ts'

/** Whether the platform knows the IANA name. */
export function isTimeZone(name: string): boolean {
  // Without the offsets, such as +02:00, which Intl takes too.
  if (name.length > TIME_ZONE_MAX || !/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
