import { FingerprintPattern } from 'virtual:icons'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { Spinner } from '../components/spinner.tsx'
import { errorMessage } from '../lib/error-message.ts'
import { hasPasskeys } from '../lib/passkey-support.ts'

/** Autofill asks a new question before the last one expires after five minutes. */
const ASK_AGAIN_MS = 4 * 60_000

const load = () => import('../lib/passkeys.ts')

/** Signs in with a passkey, through a button and through the username field's autofill. */
export function PasskeySignIn({ onSignedIn }: { onSignedIn: (userName: string) => void }) {
  /** The origin on which passkeys work. Null if they work nowhere. Undefined until the server has answered. */
  const [origin, setOrigin] = useState<string | null>()
  const [round, setRound] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const current = useRef(0)

  const autofill = useEffectEvent(async () => {
    const mine = ++current.current
    try {
      const { askForPasskey, signInWithPasskey } = await load()
      const question = await askForPasskey()
      if (mine !== current.current) return
      setOrigin(question.origin)
      if (question.origin !== location.origin) return
      const answer = await signInWithPasskey(question, { autofill: true })
      if (answer !== null && 'userName' in answer) onSignedIn(answer.userName)
    } catch (error) {
      // The server offers no passkeys. Other failures are shown when the admin presses the button.
      if ((error as { code?: string }).code === 'conflict') setOrigin(null)
    }
  })

  useEffect(() => {
    if (!hasPasskeys() || isBusy) return
    void round
    void autofill()
    const timer = setTimeout(() => setRound((count) => count + 1), ASK_AGAIN_MS)
    return () => {
      clearTimeout(timer)
      current.current += 1
      void load().then(({ stopAsking }) => stopAsking())
    }
  }, [round, isBusy])

  async function handleClick(): Promise<void> {
    setBusy(true)
    setRefusal(null)
    try {
      const { askForPasskey, signInWithPasskey } = await load()
      const answer = await signInWithPasskey(await askForPasskey(), { autofill: false })
      if (answer !== null && 'userName' in answer) onSignedIn(answer.userName)
    } catch (error) {
      setRefusal(errorMessage(error))
    }
    setBusy(false)
  }

  if (!hasPasskeys()) return null
  if (origin !== undefined && origin !== location.origin) {
    return (
      <div className="login-other">
        {origin !== null && (
          <p>
            To use a passkey, open <a href={`${origin}/login`}>{origin}</a>.
          </p>
        )}
      </div>
    )
  }
  return (
    <div className="login-other">
      <p className="login-or">or</p>
      <button type="button" className="button button-l" disabled={isBusy} onClick={handleClick}>
        {isBusy && <Spinner />}
        <Icon of={FingerprintPattern} />
        Sign in with a passkey
      </button>
      <p className="login-refusal" role="alert">
        {refusal}
      </p>
    </div>
  )
}
