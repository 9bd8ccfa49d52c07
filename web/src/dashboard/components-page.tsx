import { CircleAlert, CircleCheck, Clock, Lock, Reply, Tag, Trash2, UserRoundPlus } from 'virtual:icons'
import { useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { Pager } from '../components/pager.tsx'
import { Spinner } from '../components/spinner.tsx'
import { toast } from '../components/toast.ts'
import { Avatar } from './ui/avatar.tsx'
import { ChoiceList } from './ui/choice-list.tsx'
import { CopyBox } from './ui/copy-box.tsx'
import { ConfirmDialog, Dialog } from './ui/dialog.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { Field } from './ui/field.tsx'
import { Group } from './ui/group.tsx'
import { IconButton } from './ui/icon-button.tsx'
import { Loading } from './ui/loading.tsx'
import { PageHeading } from './ui/page-heading.tsx'
import { SubmitButton } from './ui/submit-button.tsx'
import { Switch } from './ui/switch.tsx'
import './components-page.css'

const BUTTONS = ['button', 'button button-primary', 'button button-quiet', 'button button-quiet button-red']
const TONES = ['grey', 'green', 'amber', 'red', 'blue', 'violet']
const CLIENTS = [
  'h7Qm2Zr9TfKc4Vn8Xb3W',
  'aaaaaaaaaaaaaaaaaaaa',
  'bbbbbbbbbbbbbbbbbbbb',
  'cccccccccccccccccccc',
]

/** Shows every shared component in its states. Only `npm run dev` serves this page. */
export function ComponentsPage() {
  return (
    <section className="dashboard-page dashboard-page-narrow">
      <PageHeading actions={<SubmitButton busy={false}>The one main action</SubmitButton>}>
        Components
      </PageHeading>
      <Group id="buttons" title="Buttons">
        {BUTTONS.map((className) => (
          <p key={className} className="components-row">
            <button type="button" className={className}>
              Rest
            </button>
            <button type="button" className={className}>
              <Icon of={CircleCheck} />
              With an icon
            </button>
            <button type="button" className={className} aria-disabled="true">
              <Spinner />
              Busy
            </button>
            <button type="button" className={className} disabled>
              Disabled
            </button>
          </p>
        ))}
        <p className="components-row">
          <button type="button" className="button button-s">
            Small
          </button>
          <button type="button" className="button">
            Normal
          </button>
          <button type="button" className="button button-l">
            Large
          </button>
          <button type="button" className="button button-danger">
            In a dialog that asks
          </button>
        </p>
      </Group>
      <Group id="icon-buttons" title="Icon buttons, which have tips">
        <p className="components-row">
          <button type="button" className="icon-button" aria-label="Snooze">
            <Icon of={Clock} />
          </button>
          <button type="button" className="icon-button" aria-label="Labels" aria-pressed="true">
            <Icon of={Tag} />
          </button>
          <IconButton icon={Trash2} label="Delete" />
          <button type="button" className="icon-button" aria-label="Block" disabled>
            <Icon of={Lock} />
          </button>
        </p>
      </Group>
      <Fields />
      <Group id="chips" title="Chips, avatars, and counts">
        <p className="components-row">
          <span className="chip">Camera</span>
          {TONES.map((tone) => (
            <span key={tone} className="chip" data-tone={tone}>
              <Icon of={Clock} />
              {tone}
            </span>
          ))}
          <span className="dashboard-badge">3</span>
          <span className="dashboard-badge">128</span>
        </p>
        <p className="components-row">
          {CLIENTS.map((clientId, index) => (
            <Avatar
              key={clientId}
              clientId={clientId}
              name={String.fromCharCode(65 + index)}
              large={index > 1}
              online={index % 2 === 1}
            />
          ))}
        </p>
      </Group>
      <Group id="notes" title="Notes">
        <p className="work-note">Your unsaved changes are back.</p>
        <p className="work-note" data-tone="amber">
          You're offline. Your replies will be sent when you're back online.
        </p>
        <p className="work-failure">Sending failed. Nothing was lost.</p>
        <Loading />
        <p className="skeleton">&nbsp;</p>
      </Group>
      <Menus />
      <Group id="tables" title="Tables and lists">
        <div className="card">
          <p>The first row of a card</p>
          <p>The second row of a card</p>
        </div>
        <Pager label="Components" path="/dashboard/components" page={1} count={30} perPage={15} />
        <CopyBox label="Tag" text={'<script async src="/embed/k3Vq.js"></script>'} />
        <EmptyState message="No components found!">Add one to this page.</EmptyState>
      </Group>
    </section>
  )
}

function Fields() {
  const [isOn, setOn] = useState(true)
  const [mode, setMode] = useState('Reply')
  return (
    <Group id="fields" title="Fields">
      <Field label="Display name" hint="Visitors see it beside your messages." error={undefined}>
        {(shared) => <input {...shared} defaultValue="Alex" />}
      </Field>
      <Field label="Slug" error="Wrong format! Only use lower case and separate words with hyphen">
        {(shared) => <input {...shared} defaultValue="Light Your Face" />}
      </Field>
      <Field label="Time zone" error={undefined}>
        {(shared) => (
          <select {...shared}>
            <option>Europe/Zurich</option>
          </select>
        )}
      </Field>
      <Field label="Message" error={undefined}>
        {(shared) => <textarea {...shared} rows={3} disabled defaultValue="A disabled field" />}
      </Field>
      <label className="checkbox">
        <input type="checkbox" defaultChecked /> Decorative image
      </label>
      <Switch label="On duty" hint="Off duty, you aren't notified." checked={isOn} onChange={setOn} />
      <fieldset className="segments" aria-label="Kind of message">
        {[['Reply', Reply] as const, ['Note', Lock] as const].map(([name, icon]) => (
          <button key={name} type="button" aria-pressed={mode === name} onClick={() => setMode(name)}>
            <Icon of={icon} />
            {name}
          </button>
        ))}
      </fieldset>
    </Group>
  )
}

function Menus() {
  const [opener, setOpener] = useState<HTMLElement | null>(null)
  const [asks, setAsks] = useState(false)
  const choices = [
    { id: 'snooze', label: 'Snooze', icon: Clock, detail: 'S' },
    { id: 'assign', label: 'Assign', icon: UserRoundPlus, detail: 'A', isCurrent: true },
    { id: 'report', label: 'Report', icon: CircleAlert },
    { id: 'erase', label: 'Erase conversation', icon: Trash2, isRed: true },
  ]
  return (
    <Group id="menus" title="Menus, dialogs, and toasts">
      <p className="components-row">
        <button type="button" className="button" onClick={(event) => setOpener(event.currentTarget)}>
          Open a menu
        </button>
        <button type="button" className="button" onClick={() => setAsks(true)}>
          Open a dialog
        </button>
        {(['success', 'error', 'warning', 'info'] as const).map((kind) => (
          <button key={kind} type="button" className="button" onClick={() => toast[kind](`This is ${kind}`)}>
            Show {kind}
          </button>
        ))}
      </p>
      {opener && (
        <Dialog title="More" near={opener} onClose={() => setOpener(null)}>
          <ChoiceList choices={choices} onChoose={() => setOpener(null)} />
        </Dialog>
      )}
      {asks && (
        <ConfirmDialog
          title="Delete the post?"
          question="This can't be undone."
          confirmLabel="Delete"
          onConfirm={() => setAsks(false)}
          onCancel={() => setAsks(false)}
        />
      )}
    </Group>
  )
}
