import { Plus, Trash2 } from 'virtual:icons'
import { CARDS_MAX } from '@proctorpass/shared/limits'
import type { Card } from '@proctorpass/shared/schemas/settings'
import { useEffect, useRef } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Field } from '../ui/field.tsx'
import { Group } from '../ui/group.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { TextInLanguages } from '../ui/in-languages.tsx'
import { englishName } from '../ui/language-names.ts'
import { Switch } from '../ui/switch.tsx'
import { NumberField } from './rule-fields.tsx'
import type { SettingsFields } from './use-settings-form.ts'

export const CARDS = { id: 'cards', title: 'Cards' }

const newCard = (): Card => ({
  id: crypto.randomUUID(),
  path: '*',
  afterSeconds: 30,
  language: null,
  onlineOnly: true,
  text: { en: '', zh: '' },
  greeting: { en: '', zh: '' },
})

/** Edits the cards, and the rules that say when each card is shown. */
export function CardFields({ values, change, errorOf }: SettingsFields) {
  const { cards } = values
  const list = useRef<HTMLDivElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  /** What gets the focus once it is rendered: a new card's path field, or the button after a removal. */
  const next = useRef<'path' | 'button' | null>(null)
  useEffect(() => {
    const wanted = next.current
    next.current = null
    if (wanted === 'path') {
      const fields = list.current?.querySelectorAll<HTMLInputElement>('input[name=card-path]')
      fields?.[cards.length - 1]?.focus()
    } else if (wanted === 'button') add.current?.focus()
  }, [cards.length])

  return (
    <Group
      {...CARDS}
      note="Cards are short messages that appear next to the chat button. Visitors without a conversation see each card once, at most one a day, and never while they type. If two are due, the first one in this list appears."
    >
      <div className="settings-cards" ref={list}>
        {cards.map((card, index) => (
          <CardFieldset
            key={card.id}
            card={card}
            languages={values.languages}
            number={index + 1}
            errorOf={(field) => errorOf(`cards/${index}/${field}`)}
            onChange={(changed) => change({ cards: cards.with(index, changed) })}
            onRemove={() => {
              next.current = 'button'
              change({ cards: cards.filter((_, other) => other !== index) })
            }}
          />
        ))}
      </div>
      {cards.length < CARDS_MAX ? (
        <button
          ref={add}
          type="button"
          className="button settings-add-card"
          onClick={() => {
            next.current = 'path'
            change({ cards: [...cards, newCard()] })
          }}
        >
          <Icon of={Plus} />
          Add card
        </button>
      ) : (
        <p className="field-hint">You have {CARDS_MAX} cards, the maximum. Remove one to add another.</p>
      )}
    </Group>
  )
}

interface CardFieldsetProps {
  card: Card
  languages: readonly string[]
  number: number
  errorOf: (field: string) => string | undefined
  onChange: (card: Card) => void
  onRemove: () => void
}

function CardFieldset({ card, languages, number, errorOf, onChange, onRemove }: CardFieldsetProps) {
  const set = (part: Partial<Card>) => onChange({ ...card, ...part })
  return (
    <fieldset className="card settings-card">
      <legend>Card {number}</legend>
      <div className="settings-card-head">
        <IconButton icon={Trash2} label={`Remove card ${number}`} onClick={onRemove} />
      </div>
      <div className="settings-pre-chat">
        <Field
          label="Pages"
          hint="A path, for example /faq or /blogs/*. Use * for every page."
          error={errorOf('path') ?? errorOf('id')}
        >
          {(shared) => (
            <input
              {...shared}
              type="text"
              name="card-path"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={card.path}
              onChange={(event) => set({ path: event.target.value })}
            />
          )}
        </Field>
        <NumberField
          label="Delay in seconds"
          hint="Time on the page before the card appears."
          value={card.afterSeconds}
          error={errorOf('afterSeconds')}
          onChange={(afterSeconds) => set({ afterSeconds })}
        />
        <Field label="Chat language" error={errorOf('language')}>
          {(shared) => (
            <select
              {...shared}
              value={card.language ?? ''}
              onChange={(event) => set({ language: event.target.value || null })}
            >
              <option value="">Any language</option>
              {[...new Set(['en', ...languages, ...(card.language ? [card.language] : [])])].map((tag) => (
                <option key={tag} value={tag}>
                  {englishName(tag)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Switch
        label="Only while an admin is online"
        checked={card.onlineOnly}
        onChange={(onlineOnly) => set({ onlineOnly })}
      />
      <TextInLanguages
        label="Text"
        languages={languages}
        rows={2}
        field="text"
        texts={card.text}
        errorOf={errorOf}
        onChange={(text) => set({ text })}
      />
      <TextInLanguages
        label="Greeting"
        languages={languages}
        rows={2}
        hint="The chat's first message. Leave blank to use the usual greeting."
        field="greeting"
        texts={card.greeting}
        errorOf={errorOf}
        onChange={(greeting) => set({ greeting })}
      />
    </fieldset>
  )
}
