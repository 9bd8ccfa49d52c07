import { Plus, X } from 'virtual:icons'
import { hoursState, isTimeZone } from '@proctorpass/shared/hours'
import type { Hours, Span } from '@proctorpass/shared/schemas/settings'
import { useId, useRef, useState } from 'react'
import { serverNow } from '../../lib/server-clock.ts'
import { Field } from '../ui/field.tsx'
import { Group } from '../ui/group.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Switch } from '../ui/switch.tsx'
import { ownZone, ZoneField } from '../ui/zone-field.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const office = (): Hours => ({
  timeZone: ownZone(),
  spans: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' })),
  closed: [],
})

export const HOURS = { id: 'hours', title: 'Opening hours' }

export function HoursFields({ values, change, errorOf }: SettingsFields) {
  const { hours } = values
  /** The hours before the admin chose "Always open". */
  const before = useRef<Hours | null>(null)
  const set = (part: Partial<Hours>) => hours && change({ hours: { ...hours, ...part } })
  return (
    <Group {...HOURS}>
      <div className="card">
        <Switch
          label="Always open"
          checked={hours === null}
          onChange={(isOn) => {
            if (isOn) before.current = hours
            change({ hours: isOn ? null : (before.current ?? office()) })
          }}
        />
        {hours !== null && (
          <>
            <div className="settings-zone">
              <ZoneField
                zone={hours.timeZone}
                error={errorOf('hours/timeZone')}
                onChange={(timeZone) => set({ timeZone })}
              />
              <p className="field-hint" role="status">
                {nowText(hours)}
              </p>
            </div>
            <div className="settings-week">
              {WEEKDAYS.map((name, index) => (
                <DayFields key={name} name={name} day={index + 1} hours={hours} set={set} errorOf={errorOf} />
              ))}
            </div>
            <p className="field-hint">
              For a break, add hours twice. To end at midnight, enter 00:00 (12:00 AM).
            </p>
            <ClosedDays closed={hours.closed} onChange={(closed) => set({ closed })} />
          </>
        )}
      </div>
    </Group>
  )
}

type SetHours = (part: Partial<Hours>) => void

interface DayFieldsProps {
  name: string
  day: number
  hours: Hours
  set: SetHours
  errorOf: SettingsFields['errorOf']
}

function DayFields({ name, day, hours: { spans }, set, errorOf }: DayFieldsProps) {
  // The server names a span's errors by the span's index in the list.
  const own = spans.map((span, index) => ({ span, index })).filter(({ span }) => span.day === day)
  const add = () => {
    const times = own.length === 0 ? { from: '09:00', to: '17:00' } : { from: '', to: '' }
    set({ spans: [...spans, { day, ...times }] })
  }
  const copy = () => {
    const others = spans.filter((span) => span.day === day || span.day > 5)
    const copies = [2, 3, 4, 5].flatMap((other) => own.map(({ span }) => ({ ...span, day: other })))
    set({ spans: [...others, ...copies] })
  }
  return (
    <fieldset>
      <legend>{name}</legend>
      <div className="settings-spans">
        {own.length === 0 && <p className="settings-closed">Closed</p>}
        {own.map(({ span, index }, position) => (
          <SpanFields
            key={position}
            label={position === 0 ? name : `${name}, hours ${position + 1}`}
            span={span}
            errors={[errorOf(`hours/spans/${index}/from`), errorOf(`hours/spans/${index}/to`)]}
            onChange={(part) => set({ spans: spans.with(index, { ...span, ...part }) })}
            onRemove={() => set({ spans: spans.filter((each) => each !== span) })}
          />
        ))}
      </div>
      <div className="settings-day-actions">
        {day === 1 && own.length > 0 && (
          <button type="button" className="button button-quiet button-s" onClick={copy}>
            Copy to Tuesday–Friday
          </button>
        )}
        <IconButton icon={Plus} label={`Add hours on ${name}`} onClick={add} />
      </div>
    </fieldset>
  )
}

interface SpanFieldsProps {
  label: string
  span: Span
  errors: [from: string | undefined, to: string | undefined]
  onChange: (part: Partial<Span>) => void
  onRemove: () => void
}

function SpanFields({ label, span, errors: [from, to], onChange, onRemove }: SpanFieldsProps) {
  const id = useId()
  const clock = (end: 'from' | 'to', error: string | undefined) => (
    <input
      type="time"
      required
      aria-label={`${label}, ${end}`}
      aria-invalid={error !== undefined}
      aria-describedby={error === undefined ? undefined : id}
      // A time field cannot hold 24:00.
      value={span[end] === '24:00' ? '00:00' : span[end]}
      onChange={({ target: { value } }) =>
        onChange({ [end]: end === 'to' && value === '00:00' ? '24:00' : value })
      }
    />
  )
  const error = from ?? to
  return (
    <div className="field settings-span">
      {clock('from', from)}
      <span aria-hidden="true">–</span>
      {clock('to', to)}
      <IconButton icon={X} label={`Remove ${label}`} onClick={onRemove} />
      {error !== undefined && (
        <p className="field-error" id={id}>
          {error}
        </p>
      )}
    </div>
  )
}

const longDate = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' })

function ClosedDays({ closed, onChange }: { closed: string[]; onChange: (closed: string[]) => void }) {
  const [date, setDate] = useState('')
  const add = () => {
    if (date === '') return
    onChange([...new Set([...closed, date])].sort())
    setDate('')
  }
  return (
    <div className="settings-closed-days">
      <Field label="Add a closed day" hint="For example, a holiday" error={undefined}>
        {(shared) => (
          <span className="settings-add">
            <input
              {...shared}
              type="date"
              max="9999-12-31"
              value={date}
              onChange={(event) => setDate(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                add()
              }}
            />
            <button
              type="button"
              className="button"
              disabled={date === '' || closed.length >= 366}
              onClick={add}
            >
              Add day
            </button>
          </span>
        )}
      </Field>
      {closed.length > 0 && (
        <ul aria-label="Closed days">
          {closed.map((day) => (
            <li key={day}>
              {longDate.format(new Date(day))}
              <IconButton
                icon={X}
                label={`Remove ${longDate.format(new Date(day))}`}
                onClick={() => onChange(closed.filter((each) => each !== day))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function nowText(hours: Hours): string {
  if (!isTimeZone(hours.timeZone)) return ''
  const { open, opensAt } = hoursState(hours, serverNow())
  if (open) return "You're open right now."
  if (opensAt === null) return "You're closed all year."
  const time = new Intl.DateTimeFormat('en', {
    ...{ weekday: 'long', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    timeZone: hours.timeZone,
  })
  return `You're closed right now and open on ${time.format(opensAt)}.`
}
