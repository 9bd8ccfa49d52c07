import { ChevronRight } from 'virtual:icons'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import { CopyBox } from '../ui/copy-box.tsx'

const STUB =
  'window.SupportChat = window.SupportChat || function () { (SupportChat.q = SupportChat.q || []).push(arguments) }'

const NODE = `import { createHmac } from 'node:crypto'

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function chatToken(user) {
  const head = base64url({ alg: 'HS256', typ: 'JWT' })
  const exp = Math.floor(Date.now() / 1000) + 3600
  const body = base64url({ sub: String(user.id), name: user.name, email: user.email, exp })
  const signature = createHmac('sha256', process.env.CHAT_SECRET).update(head + '.' + body)
  return head + '.' + body + '.' + signature.digest('base64url')
}`

const PYTHON = `import os, time
import jwt  # pip install PyJWT

def chat_token(user):
    claims = {"sub": str(user.id), "name": user.name, "email": user.email,
              "exp": int(time.time()) + 3600}
    return jwt.encode(claims, os.environ["CHAT_SECRET"], algorithm="HS256")`

const PHP = `function chat_token($user) {
    $base64url = fn($text) => rtrim(strtr(base64_encode($text), '+/', '-_'), '=');
    $head = $base64url(json_encode(['alg' => 'HS256', 'typ' => 'JWT']));
    $body = $base64url(json_encode(['sub' => (string) $user->id, 'name' => $user->name,
        'email' => $user->email, 'exp' => time() + 3600]));
    $signature = hash_hmac('sha256', "$head.$body", getenv('CHAT_SECRET'), true);
    return "$head.$body." . $base64url($signature);
}`

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="disclosure">
      <summary>
        <Icon of={ChevronRight} />
        {title}
      </summary>
      <div>{children}</div>
    </details>
  )
}

/** Explains how a website shows the chat and signs its visitors. */
export function SiteInstructions({ src }: { src: string }) {
  const react = `useEffect(() => {
  const script = Object.assign(document.createElement('script'), { async: true, src: '${src}' })
  document.head.append(script)
}, [])`
  const vue = react.replace('useEffect(', 'onMounted(').replace('}, [])', '})')
  return (
    <div className="site-instructions">
      <h3>Instructions</h3>
      <div className="card">
        <Part title="Plain HTML">
          <p>
            Put the tag into the head or the body of each page. Add it once; a duplicate does no harm. On an
            HTTPS website, the tag's address must use HTTPS too.
          </p>
        </Part>
        <Part title="WordPress">
          <p>
            Use a plugin that adds code to each page's footer. Or, in a classic theme, open Appearance, Theme
            File Editor, footer.php, and put the tag before <code>&lt;/body&gt;</code>; repeat this after each
            theme update.
          </p>
        </Part>
        <Part title="Shopify">
          <p>
            Open Online Store, Themes, Edit code, layout/theme.liquid, and put the tag before{' '}
            <code>&lt;/body&gt;</code>.
          </p>
        </Part>
        <Part title="React, Vue, and single-page apps">
          <p>Put the tag into index.html. Or load it in a component that is always rendered:</p>
          <CopyBox label="React" text={react} />
          <CopyBox label="Vue" text={vue} />
          <p>
            Page changes are detected automatically. Call SupportChat where the address doesn't identify the
            page:
          </p>
          <CopyBox label="Page" text="SupportChat('page', '/checkout/address')" />
        </Part>
        <Part title="Calling the chat before it loads">
          <p>Put this script before the tag. It keeps your calls until the chat has loaded:</p>
          <CopyBox label="Stub" text={STUB} />
        </Part>
        <Part title="Signed visitors">
          <p>
            Your server confirms who is signed in to your website. These visitors have one conversation on
            their phone and laptop, and you see their name as signed. Add a secret below, keep it on your
            server as CHAT_SECRET, and create a token for each page:
          </p>
          <CopyBox label="Node.js" text={NODE} />
          <CopyBox label="Python" text={PYTHON} />
          <CopyBox label="PHP" text={PHP} />
          <p>
            A token is valid for at most 24 hours. Pass it to the page, and call logout when the visitor signs
            out:
          </p>
          <CopyBox label="Sign in" text="SupportChat('identify', TOKEN)" />
          <CopyBox label="Sign out" text="SupportChat('logout')" />
        </Part>
        <Part title="Recommended: a subdomain of your own domain">
          <p>
            Serve the chat from a subdomain of the website, such as chat.example.com for www.example.com.
            Browsers then treat the chat as part of the website and keep its storage. On another domain,
            Safari clears the storage when it quits. A cookie restores the conversation, but it needs HTTPS.
          </p>
          <p>
            Pages on an IPv6 address such as http://[::1] can't show the chat, because the header that allows
            it doesn't support these addresses. Use http://localhost instead.
          </p>
        </Part>
      </div>
    </div>
  )
}
