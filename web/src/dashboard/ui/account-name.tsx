import { useAuth } from '../../lib/auth-store.ts'

/** Tells a password manager whose password a form wants that has no field for the name. */
export function AccountName() {
  const userName = useAuth((auth) => auth.userName)
  return (
    <input
      className="visually-hidden"
      type="text"
      autoComplete="username"
      value={userName ?? ''}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  )
}
