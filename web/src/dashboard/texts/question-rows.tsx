import { ArrowDown, ArrowUp, GripVertical, Pencil, Trash2 } from 'virtual:icons'
import type { Question, QuestionGroup } from '@proctorpass/shared/schemas/faq'
import { type PointerEvent, useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { englishName } from '../ui/language-names.ts'
import type { Target } from './moved.ts'
import { TextState } from './text-standing.tsx'
import { ENGLISH, editorPath } from './texts.ts'

interface QuestionRowsProps {
  groups: readonly QuestionGroup[]
  items: readonly Question[]
  lang: string
  onMove: (id: string, target: Target) => void
  /** Receives each place over which a question is dragged. */
  onDrag: (id: string, target: Target) => void
  onDrop: (id: string) => void
  onDelete: (question: Question) => void
}

/** Shows the questions below their groups' titles. They are moved by their handles or by buttons. */
export function QuestionRows({ groups, items, ...row }: QuestionRowsProps) {
  const [dragged, setDragged] = useState<string | null>(null)
  return groups.map(({ id, title }) => (
    <section key={id} className="group question-group" aria-labelledby={`group-${id}`} data-group={id}>
      <header>
        <h2 id={`group-${id}`} dir="auto">
          {title}
        </h2>
      </header>
      <ol className="row-list card" aria-labelledby={`group-${id}`}>
        {items
          .filter(({ group }) => group === id)
          .map((question) => (
            <QuestionRow
              key={question._id}
              question={question}
              {...row}
              isFirst={question._id === items[0]?._id}
              isLast={question._id === items.at(-1)?._id}
              isDragged={question._id === dragged}
              setDragged={setDragged}
            />
          ))}
      </ol>
    </section>
  ))
}

interface QuestionRowProps extends Omit<QuestionRowsProps, 'groups' | 'items'> {
  question: Question
  isFirst: boolean
  isLast: boolean
  isDragged: boolean
  /** Receives the question's ID while it is dragged, and then null. */
  setDragged: (id: string | null) => void
}

function QuestionRow(props: QuestionRowProps) {
  const { question, lang, isFirst, isLast, isDragged, setDragged, onMove, onDrag, onDrop, onDelete } = props
  const { _id, question: words, state, lang: own } = question

  /** Follows the pointer on the whole page, because the row moves away from below it. */
  function handleDown(event: PointerEvent): void {
    if (event.button !== 0) return
    event.preventDefault()
    const end = new AbortController()
    const { signal } = end
    setDragged(_id)
    const follow = ({ clientX, clientY }: MouseEvent) => {
      const target = targetAt(clientX, clientY, _id)
      if (target !== null) onDrag(_id, target)
    }
    const stop = () => {
      end.abort()
      setDragged(null)
      onDrop(_id)
    }
    document.addEventListener('pointermove', follow, { signal })
    document.addEventListener('pointerup', stop, { signal })
    document.addEventListener('pointercancel', stop, { signal })
  }

  return (
    <li className="question-row" data-question={_id} data-dragged={isDragged || undefined}>
      <span className="question-handle" aria-hidden="true" onPointerDown={handleDown}>
        <Icon of={GripVertical} />
      </span>
      <div lang={own} dir="auto">
        {words}
      </div>
      <span className="question-end">
        <span className="text-chips">
          {own !== lang && <span className="chip">{englishName(own)}</span>}
          {(own === lang || lang === ENGLISH) && <TextState state={state} />}
        </span>
        <span className="question-tools">
          <IconButton
            icon={ArrowUp}
            label={`Move up: ${words}`}
            tip="Move up"
            aria-disabled={isFirst}
            onClick={() => onMove(_id, 'up')}
          />
          <IconButton
            icon={ArrowDown}
            label={`Move down: ${words}`}
            tip="Move down"
            aria-disabled={isLast}
            onClick={() => onMove(_id, 'down')}
          />
          <Link
            className="icon-button icon-button-s"
            to={editorPath(`faq:${_id}`, lang)}
            aria-label={`Edit: ${words}`}
            data-tip="Edit"
          >
            <Icon of={Pencil} />
          </Link>
          <IconButton
            icon={Trash2}
            label={`Delete: ${words}`}
            tip="Delete"
            onClick={() => onDelete(question)}
          />
        </span>
      </span>
    </li>
  )
}

/** Returns where a question that is dragged to a point goes. Null if it stays. */
function targetAt(x: number, y: number, id: string): Target | null {
  const element = document.elementFromPoint(x, y)
  const row = element?.closest<HTMLElement>('[data-question]')
  if (row) {
    const other = row.dataset.question ?? ''
    if (other === id) return null
    const { top, height } = row.getBoundingClientRect()
    return y < top + height / 2 ? { before: other } : { after: other }
  }
  const group = element?.closest<HTMLElement>('[data-group]')
  const isEmpty = group?.querySelector('[data-question]') === null
  return group && isEmpty ? { group: group.dataset.group ?? '' } : null
}
